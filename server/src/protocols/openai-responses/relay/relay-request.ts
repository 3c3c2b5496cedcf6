/** The client's own body, adapted to its provider; fields unknown to us stay as they are. */
import type { ChatRequest } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { DEFAULT_EFFORT } from '../../openai-chat/client/read-effort.ts';
import type { CodecTarget, HttpParts } from '../../protocol.ts';
import { messageOfCompaction } from '../compaction.ts';
import { ENCRYPTED_REASONING } from '../own-fields.ts';
import { isReplayable } from '../reasoning-item.ts';
import { providerCallId } from '../upstream/call-ids.ts';
import { FOREIGN_REASONING } from '../upstream/encode-input.ts';
import { dropRefused, httpParts, outputLimit } from '../upstream/encode-request.ts';

export function patchRequest(body: JsonObject, request: ChatRequest, target: CodecTarget): HttpParts {
  const warnings: string[] = [];
  // Fields that we handle ourselves: a provider would look for ids that only we know.
  const { svc: _svc, previous_response_id: _previous, background: _background, ...patched } = body;
  delete patched['conversation'];
  patched['model'] = target.model;
  if (isJsonObject(body['prompt']) && (body['input'] ?? null) === null) delete patched['input'];
  else patched['input'] = cleanInput(body['input'], target, warnings);
  fillIn(patched, request);
  Object.assign(patched, outputLimit(target, warnings));
  patched['store'] = false;
  const include = includeOf(body['include'], target);
  if (include.length > 0) patched['include'] = include;
  if (target.stream) patched['stream'] = true;
  else {
    delete patched['stream'];
    delete patched['stream_options'];
  }
  dropRefused(patched, target, warnings);
  return httpParts(patched, target, warnings);
}

/** Values that we accept from clients though the provider would refuse them. */
function fillIn(patched: JsonObject, { output }: ChatRequest): void {
  const { text, reasoning } = patched;
  if (isJsonObject(reasoning) && reasoning['effort'] === DEFAULT_EFFORT) {
    const { effort: _effort, ...rest } = reasoning;
    patched['reasoning'] = rest;
  }
  if (output.kind !== 'json-schema' || !isJsonObject(text) || !isJsonObject(text['format'])) return;
  if ((text['format']['name'] ?? null) !== null) return;
  patched['text'] = { ...text, format: { ...text['format'], name: output.name } };
}

/**
 * A stored answer is continued from our copy, so that copy must contain the reasoning. Models without reasoning refuse this value
 * of `include`.
 */
function includeOf(include: Json | undefined, target: CodecTarget): string[] {
  const asked = Array.isArray(include) ? include.filter((word) => typeof word === 'string') : [];
  return [...new Set(target.capabilities.has('reasoning') ? [...asked, ENCRYPTED_REASONING] : asked)];
}

/**
 * Earlier turns may come from models of other vendors: their reasoning is not the provider's, and their call ids may
 * carry signatures. Either would make every further request of the conversation fail.
 */
function cleanInput(input: Json | undefined, { quirks }: CodecTarget, warnings: string[]): Json {
  if (!Array.isArray(input)) return input ?? [];
  const clean: Json[] = [];
  for (const item of input) {
    if (!isJsonObject(item)) clean.push(item);
    else if (item['type'] !== 'reasoning' || isReplayable(item)) clean.push(cleanItem(item, quirks.noDeveloperRole));
    else if (!warnings.includes(FOREIGN_REASONING)) warnings.push(FOREIGN_REASONING);
  }
  return clean;
}

function cleanItem(item: JsonObject, noDeveloperRole: boolean | undefined): JsonObject {
  if (item['type'] === 'compaction') return messageOfCompaction(item) ?? item;
  if (noDeveloperRole && item['role'] === 'developer') return { ...item, role: 'system' };
  const callId = item['call_id'];
  const clean = typeof callId === 'string' ? providerCallId(callId) : callId;
  return clean === callId ? item : { ...item, call_id: clean };
}
