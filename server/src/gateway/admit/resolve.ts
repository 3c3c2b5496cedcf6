/** Step 5: which model is meant, whether this key may use it, and whether it can do what the request asks. */

import { KIND_FACTS } from '@dargah/core/model-kinds.ts';
import type { Text } from '@dargah/core/text.ts';
import {
  type CatalogSnapshot,
  isShownTo,
  type Model,
  type ModelKind,
  modelAtPercent,
  modelFor,
} from '../../catalog/index.ts';
import type { AnyRequest, ChatRequest, Message, Part } from '../../core/chat.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { nearestName } from '../../core/nearest-name.ts';
import { OPERATOR_ACCOUNT } from '../../core/operator-account.ts';
import { reasons } from '../../core/reasons.ts';
import {
  checkDataPolicy,
  checkPrice,
  checkRequestRules,
  type KeySnapshot,
  modelRefusal,
  permitsData,
  permitsModel,
  permitsPrice,
} from '../../keys/index.ts';
import type { ResponseMetadata } from '../call.ts';
import { gatewayReasons } from '../reasons.ts';

const TEXTS = {
  schema: { fa: 'پاسخ با طرح‌وارهٔ «json_schema»', en: 'json_schema' },
  tools: { fa: 'ابزار', en: 'tools' },
  streaming: { fa: 'پاسخ استریم', en: 'streaming' },
  image: { fa: 'ورودی تصویر', en: 'image input' },
  audio: { fa: 'ورودی صدا', en: 'audio input' },
  knowledge: { fa: 'پایگاه دانش', en: 'knowledge bases' },
  dryRun: { fa: 'اجرای آزمایشی', en: 'dry runs' },
  guarantee: { fa: 'ضمانت پاسخ', en: 'the guarantee on answers' },
  debug: { fa: 'نمایش درخواست ارسالی', en: 'the upstream echo' },
  resume: { fa: 'ادامهٔ استریم', en: 'streams that are continued' },
  cache: { fa: 'کش پاسخ', en: 'the response cache' },
  continued: { fa: 'ادامهٔ پاسخ قطع‌شده', en: 'answers that go on after a cut' },
} satisfies Record<string, Text>;

const GROUP = 'group:';
/** A longer text cannot be an id: it is neither echoed nor compared nor stored whole. */
const MAX_ID_CHARS = 128;

/** The kind of model that an endpoint asks, and its own checks of a request. */
export interface ModelRules<Request extends AnyRequest> {
  readonly kind: ModelKind;
  /** Refuses what the model cannot do. When absent, everything that only chats can do is refused. */
  checkModel?(request: Request, model: Model): void;
}

/** Rules 7 to 9 of ADR 0002, in their order, for every endpoint that is charged. */
export function resolveRequest<Request extends AnyRequest>(
  rules: ModelRules<Request>,
  request: Request,
  key: KeySnapshot,
  catalog: CatalogSnapshot,
  metadata: Pick<ResponseMetadata, 'model'>,
): Model {
  const model = resolveModel(request.model, key, catalog, rules.kind, metadata);
  if (rules.checkModel) rules.checkModel(request, model);
  else refuseWhatChatsCan(request, model);
  checkPrice(key, model);
  checkDataPolicy(key, request, model);
  checkRequestRules(key, request);
  return model;
}

export function resolveModel(
  wanted: string | undefined,
  key: KeySnapshot,
  catalog: CatalogSnapshot,
  kind: ModelKind,
  metadata?: Pick<ResponseMetadata, 'model'>,
): Model {
  const name = wanted ?? key.rules.defaultModel ?? undefined;
  if (name === undefined) {
    throw invalidRequest('model', gatewayReasons.noModel);
  }
  // Recorded at once, so that the row of a later refusal names the model that was asked for.
  if (metadata) metadata.model = name.slice(0, MAX_ID_CHARS);
  const model = catalog.models.get(name.startsWith(GROUP) ? groupDefault(name, key, catalog) : name);
  if (!model) throw modelNotFound(name, key, catalog);
  if (metadata) metadata.model = model.id;
  if (!permitsModel(key, model.id, name, catalog.groups)) throw modelRefusal(key, model.id, name, catalog.groups);
  if (model.notForSale === true && key.account.id !== OPERATOR_ACCOUNT)
    throw new GatewayError('not_for_sale', { param: 'model' });
  if (model.kind !== kind) {
    throw invalidRequest(
      'model',
      gatewayReasons.wrongKindOfModel(model.id, KIND_FACTS[model.kind].name.fa, model.kind),
    );
  }
  return pricedFor(model, key);
}

/** The price for this key: with the margin of its account, and for a line of a batch the agreed share. */
export function pricedFor(model: Model, { account, pricePercent }: KeySnapshot): Model {
  const own = modelFor(model, account.margin);
  return pricePercent === undefined ? own : modelAtPercent(own, pricePercent);
}

function groupDefault(reference: string, key: KeySnapshot, catalog: CatalogSnapshot): string {
  const group = catalog.groups.get(reference.slice(GROUP.length));
  if (!group) throw modelNotFound(reference, key, catalog);
  return group.defaultModel;
}

/** Names the id that was asked for, and the nearest one that the key may use. */
export function modelNotFound(name: string, key: KeySnapshot, catalog: CatalogSnapshot): GatewayError {
  const asked = name.slice(0, MAX_ID_CHARS);
  const successor = catalog.retired?.get(asked);
  if (successor !== undefined)
    return new GatewayError('model_not_found', {
      param: 'model',
      reason: reasons.retiredModel(asked, successor),
      detail: { successor },
    });
  const near = name.length > MAX_ID_CHARS ? undefined : nearestName(name, namesFor(key, catalog));
  return new GatewayError('model_not_found', {
    param: 'model',
    reason: near === undefined ? reasons.unknownModel(asked) : reasons.unknownModelNear(asked, near),
    ...(near !== undefined && { detail: { did_you_mean: near } }),
  });
}

function* namesFor(key: KeySnapshot, catalog: CatalogSnapshot): Generator<string> {
  for (const [id, model] of catalog.models) {
    if (!isShownTo(model, key.account.id) || !permitsModel(key, id, id, catalog.groups)) continue;
    if (!permitsPrice(key, modelFor(model, key.account.margin)) || !permitsData(key, model)) continue;
    yield id;
  }
  for (const [id, { defaultModel }] of catalog.groups) {
    if (permitsModel(key, defaultModel, `${GROUP}${id}`, catalog.groups)) yield `${GROUP}${id}`;
  }
}

/** Refuses what the model is known not to do, before anything is reserved or sent. */
export function checkCapabilities(request: ChatRequest, model: Model): void {
  const can = model.capabilities;
  const { messages } = request;
  if (request.output.kind === 'json-schema' && !can.has('json_schema')) refuse('response_format', TEXTS.schema, model);
  if (request.tools.length > 0 && !can.has('tools')) refuse('tools', TEXTS.tools, model);
  if (request.stream && !can.has('streaming')) refuse('stream', TEXTS.streaming, model);
  if (can.has('vision') && can.has('audio_input') && can.has('files')) return;
  for (let index = 0; index < messages.length; index++) {
    for (const part of (messages[index] as Message).parts) checkPart(part, index, model);
  }
}

/**
 * The extension is read alike on every endpoint. A field that would be ignored is refused, above all a dry run that
 * would be charged.
 */
export function refuseWhatChatsCan({ svc }: AnyRequest, model: Model): void {
  if (svc.knowledgeBaseIds.length > 0) refuse('svc.knowledge_base_ids', TEXTS.knowledge, model);
  if (svc.dryRun) refuse('svc.dry_run', TEXTS.dryRun, model);
  if (svc.guarantee) refuse('svc.guarantee', TEXTS.guarantee, model);
  if (svc.debug) refuse('svc.debug', TEXTS.debug, model);
  if (svc.resumeSeconds) refuse('svc.resume_seconds', TEXTS.resume, model);
  if (svc.cacheSeconds && model.kind !== 'embedding') refuse('svc.cache_seconds', TEXTS.cache, model);
  if (svc.routing?.continue) refuse('svc.routing.continue', TEXTS.continued, model);
}

function checkPart(part: Part, message: number, model: Model): void {
  if (part.kind === 'image' && !model.capabilities.has('vision')) refuseInput(message, TEXTS.image, model);
  if (part.kind === 'audio' && !model.capabilities.has('audio_input')) refuseInput(message, TEXTS.audio, model);
  if (part.kind === 'tool-result') for (const inner of part.content) checkPart(inner, message, model);
}

function refuseInput(message: number, what: Text, model: Model): never {
  refuse(`messages.${message}.content`, what, model);
}

function refuse(param: string, what: Text, model: Model): never {
  throw invalidRequest(param, reasons.notSupportedByModel(what, model.id));
}

/** For a model that a setting names; `param` is the setting. */
export function checkModelKind(
  model: string,
  kind: ModelKind,
  param: string,
  { catalog }: { catalog: { current(): CatalogSnapshot } },
): void {
  if (catalog.current().models.get(model)?.kind !== kind) throw new GatewayError('model_not_found', { param });
}
