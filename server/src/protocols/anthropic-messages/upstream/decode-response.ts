/** A whole answer → the canonical form. Unknown blocks and fields are kept for a client of the same protocol. */
import type { ChatResponse, Part } from '../../../core/chat.ts';
import type { UpstreamFailure } from '../../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { Usage } from '../../../core/usage.ts';
import { fieldsBeside } from '../../read-fields.ts';
import { decodeCitations } from '../citations.ts';
import { decodeFinish } from '../finish.ts';
import { keep, PROTOCOL } from '../own-fields.ts';
import { countToolBlock, withCounted } from '../tool-usage.ts';
import { decodeUsage, joinRawUsage, servedTier } from '../usage.ts';
import { findError } from './decode-failure.ts';

export const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'role',
  'model',
  'content',
  'stop_reason',
  'stop_sequence',
  'usage',
]);
export const TOOL_USE_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input']);

export function decodeResponse(body: Json): ChatResponse | UpstreamFailure {
  const failure = findError(body);
  if (failure) return failure;
  if (!isJsonObject(body) || !Array.isArray(body['content'])) {
    return { kind: 'malformed', message: 'the answer is not a message' };
  }
  const { id, model, usage } = body;
  const parts: Part[] = [];
  let tools: Usage['buckets'] | undefined;
  for (const block of body['content']) {
    if (!isJsonObject(block)) continue;
    parts.push(decodeBlock(block));
    if (block['type'] !== 'server_tool_use') continue;
    tools ??= {};
    countToolBlock(tools, block);
  }
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof model === 'string' && { model }),
    choices: [{ index: 0, parts, finish: decodeFinish(body['stop_reason'], body['stop_sequence']) }],
    ...(isJsonObject(usage) && {
      usage: withCounted(decodeUsage(joinRawUsage(undefined, usage)), tools),
      ...servedTier(usage),
    }),
    ...keep(fieldsBeside(body, MESSAGE_FIELDS)),
  };
}

function decodeBlock(block: JsonObject): Part {
  const { type, text, thinking, signature, data, id, name, input } = block;
  if (type === 'text' && typeof text === 'string') {
    const citations = decodeCitations(block['citations']);
    return { kind: 'text', text, ...(citations.length > 0 && { citations }) };
  }
  if (type === 'thinking' && typeof thinking === 'string') {
    const signed = typeof signature === 'string' && signature !== '' ? { signature } : {};
    return { kind: 'reasoning', text: thinking, ...signed, origin: PROTOCOL };
  }
  if (type === 'redacted_thinking' && typeof data === 'string') {
    return { kind: 'reasoning', text: '', encrypted: data, origin: PROTOCOL };
  }
  if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string') {
    const own = keep(fieldsBeside(block, TOOL_USE_FIELDS));
    return { kind: 'tool-call', id, name, arguments: JSON.stringify(input ?? {}), ...own };
  }
  return { kind: 'text', text: '', ...keep({ block }) };
}
