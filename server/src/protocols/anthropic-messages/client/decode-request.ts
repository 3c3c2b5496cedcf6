/** A Messages request → the canonical chat. Unknown fields are never refused: they are kept for a same-protocol hop. */

import type { ChatRequest, Message, Part } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { DECLARED_TOOLS, HOSTED_TOOLS } from '../../foreign-fields.ts';
import {
  asArray,
  asBoolean,
  asObject,
  asString,
  fieldsBeside,
  integerBetween,
  oneOf,
  optional,
} from '../../read-fields.ts';
import { protocolReasons } from '../../reasons.ts';
import { decodeServiceExtension } from '../../service-extension.ts';
import { MAX_ITEMS, MAX_TOKENS } from '../bounds.ts';
import { PROTOCOL } from '../own-fields.ts';
import { cacheTime, decodeContent } from './decode-blocks.ts';
import { decodeOutput, decodeReasoning, decodeSampling } from './decode-settings.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import { offeredTools } from './tool-changes.ts';
import { ToolPairs } from './tool-pairs.ts';

const MODELLED = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'stream',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  'thread',
  'svc',
]);

/** Zero is valid: it fills the prompt cache without an answer. */
const readMaxTokens = integerBetween(0, MAX_TOKENS);

export function decodeRequest(body: JsonObject): ChatRequest {
  const maxOutputTokens = readMaxTokens(body['max_tokens'], 'max_tokens');
  return { ...decodeWithoutLimit(body), maxOutputTokens };
}

/** Decodes everything but the output limit, which only generation needs. */
export function decodeWithoutLimit(body: JsonObject): ChatRequest {
  refuseThread(body['thread']);
  const messages = [...decodeSystem(body['system']), ...decodeMessages(body['messages'])];
  const declared = decodeTools(body['tools']);
  const offered = offeredTools(declared, messages);
  const { tools, hosted } = offered ?? declared;
  const reasoning = decodeReasoning(body);
  const metadata = optional(body['metadata'], 'metadata', asObject);
  const user = optional(metadata?.['user_id'], 'metadata.user_id', asString);
  const otherMetadata = metadata && fieldsBeside(metadata, new Set(['user_id']));
  const config = optional(body['output_config'], 'output_config', asObject);
  const otherConfig = config && fieldsBeside(config, new Set(['effort', 'format']));
  const own: JsonObject = {
    ...fieldsBeside(body, MODELLED),
    ...(otherMetadata && { metadata: otherMetadata }),
    ...(otherConfig && { output_config: otherConfig }),
    ...(hosted.length > 0 && { [HOSTED_TOOLS]: hosted.map(({ index, tool }) => ({ index, tool })) }),
    ...(offered && { [DECLARED_TOOLS]: body['tools'] ?? [] }),
  };
  return {
    model: optional(body['model'], 'model', asString),
    messages,
    tools,
    ...decodeToolChoice(body['tool_choice']),
    output: decodeOutput(body),
    sampling: decodeSampling(body),
    ...(reasoning && { reasoning }),
    stream: optional(body['stream'], 'stream', asBoolean) ?? false,
    includeUsage: true,
    ...(user !== undefined && { user }),
    svc: decodeServiceExtension(body['svc']),
    extras: Object.keys(own).length > 0 ? { [PROTOCOL]: own } : {},
    ...cacheOf(body['cache_control']),
  };
}

/** `cache_control` of the request as a whole. */
function cacheOf(control: Json | undefined): Pick<ChatRequest, 'priced'> {
  if (!isJsonObject(control)) return {};
  return { priced: { cachesPrompt: cacheTime(control['ttl']) ?? '5m' } };
}

function decodeSystem(system: Json | undefined): Message[] {
  const parts = optional(system, 'system', decodeContent) ?? [];
  return parts.length > 0 ? [{ role: 'system', parts: promptParts(parts, 'system') }] : [];
}

const readRole = oneOf(['user', 'assistant', 'system']);

function decodeMessages(value: Json | undefined): Message[] {
  const wire = asArray(value, 'messages', MAX_ITEMS);
  if (wire.length === 0) throw invalidRequest('messages', reasons.needsOne('messages'));
  const messages: Message[] = [];
  const pairs = new ToolPairs();
  for (const [index, item] of wire.entries()) {
    const at = `messages.${index}`;
    const message = asObject(item, at);
    const role = readRole(message['role'], `${at}.role`);
    const parts = decodeContent(message['content'], `${at}.content`);
    if (role === 'assistant') {
      pairs.assistantTurn(parts, `${at}.content`);
      messages.push({ role, parts: spokenParts(parts, `${at}.content`) });
    } else if (role === 'system') {
      messages.push({ role, parts: promptParts(parts, `${at}.content`) });
    } else {
      pairs.userTurn(parts, `${at}.content`);
      messages.push(...decodeUserTurn(parts, `${at}.content`));
    }
  }
  pairs.close();
  return messages;
}

/** Tool results become a `tool` message of their own; they always lead the turn, wherever the client put them. */
function decodeUserTurn(parts: Part[], at: string): Message[] {
  const results: Part[] = [];
  const rest: Part[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'reasoning' || part.kind === 'tool-call') throw misplaced(`${at}.${index}`);
    (part.kind === 'tool-result' ? results : rest).push(part);
  }
  const messages: Message[] = [];
  if (results.length > 0) messages.push({ role: 'tool', parts: results });
  if (rest.length > 0 || results.length === 0) messages.push({ role: 'user', parts: rest });
  return messages;
}

function spokenParts(parts: Part[], at: string): Part[] {
  for (const [index, part] of parts.entries()) if (part.kind === 'tool-result') throw misplaced(`${at}.${index}`);
  return parts;
}

function promptParts(parts: Part[], at: string): Part[] {
  for (const [index, part] of parts.entries()) if (part.kind !== 'text') throw misplaced(`${at}.${index}`);
  return parts;
}

function misplaced(at: string) {
  return invalidRequest(at, protocolReasons.blockNotInThisRole);
}

/**
 * `thread`: the provider keeps the conversation and the client sends only what is new. No two routes share such a memory,
 * so it is refused in the very form on which the official SDKs send the whole conversation instead. Dropping the field
 * would answer, and charge for, a conversation whose earlier turns are missing.
 */
function refuseThread(thread: Json | undefined): void {
  if (thread === undefined || thread === null) return;
  throw invalidRequest('thread', protocolReasons.noThreads, {
    vendorDetails: { error_code: 'thread_unsupported_request' },
  });
}
