/** Step 5: which model is meant, may this key use it, and can it do what the request asks. */
import type { CatalogSnapshot, Model, ModelKind } from '../catalog/index.ts';
import type { ChatRequest, Part } from '../core/chat.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import { type KeySnapshot, permitsModel } from '../keys/index.ts';

const GROUP = 'group:';

export function resolveModel(
  wanted: string | undefined,
  key: KeySnapshot,
  catalog: CatalogSnapshot,
  kind: ModelKind,
): Model {
  const name = wanted ?? key.rules.defaultModel ?? undefined;
  if (name === undefined) {
    throw invalidRequest(
      'model',
      reasons.custom(
        'نه model فرستاده شده و نه کلید مدل پیش‌فرض دارد.',
        'No model was given and the key has no default model.',
      ),
    );
  }
  const model = catalog.models.get(name.startsWith(GROUP) ? groupDefault(name, catalog) : name);
  if (!model) throw new GatewayError('model_not_found', { param: 'model' });
  if (!permitsModel(key, model.id, name, catalog.groups))
    throw new GatewayError('model_not_allowed', { param: 'model' });
  if (model.kind !== kind) {
    throw invalidRequest(
      'model',
      reasons.custom(
        `مدل ${model.id} برای این مسیر نیست (${model.kind}).`,
        `The model ${model.id} is not for this endpoint (${model.kind}).`,
      ),
    );
  }
  return model;
}

function groupDefault(reference: string, catalog: CatalogSnapshot): string {
  const group = catalog.groups.get(reference.slice(GROUP.length));
  if (!group) throw new GatewayError('model_not_found', { param: 'model' });
  return group.defaultModel;
}

/** Refuses what the model is known not to do, before anything is taken or sent. */
export function checkCapabilities(request: ChatRequest, model: Model): void {
  const can = (capability: string) => model.capabilities.has(capability);
  if (request.output.kind === 'json-schema' && !can('json_schema')) refuse('response_format', 'json_schema', model);
  if (request.tools.length > 0 && !can('tools')) refuse('tools', 'tools', model);
  if (request.stream && !can('streaming')) refuse('stream', 'streaming', model);
  if (can('vision') && can('audio_input') && can('files')) return;
  request.messages.forEach((message, index) => {
    for (const part of message.parts) checkPart(part, index, model);
  });
}

function checkPart(part: Part, message: number, model: Model): void {
  const param = `messages.${message}.content`;
  if (part.kind === 'image' && !model.capabilities.has('vision')) refuse(param, 'image input', model);
  if (part.kind === 'audio' && !model.capabilities.has('audio_input')) refuse(param, 'audio input', model);
  if (part.kind === 'tool-result') for (const inner of part.content) checkPart(inner, message, model);
}

function refuse(param: string, what: string, model: Model): never {
  throw invalidRequest(param, reasons.notSupportedByModel(what, model.id));
}
