/** `input`: a string, or items. The items of one turn of the model become one canonical message. */

import type { Message, Part, ToolResultPart } from '../../../core/chat.ts';
import { expected } from '../../../core/expected.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { asArray, asName, asObject, asString, fieldsBeside, oneOf, optional, refuseParam } from '../../read-fields.ts';
import { protocolReasons } from '../../reasons.ts';
import { splitToolSignature } from '../../tool-signature.ts';
import { MAX_ITEMS, MAX_NAME, MAX_TOOL_ID } from '../bounds.ts';
import { messageOfCompaction } from '../compaction.ts';
import { keep } from '../own-fields.ts';
import { decodeReasoningItem } from '../reasoning-item.ts';
import { flatName } from '../tool-names.ts';
import {
  ASSISTANT_PARTS,
  decodeContent,
  SYSTEM_PARTS,
  TOOL_PARTS,
  USER_PARTS,
  type WirePartType,
} from './decode-content.ts';
import { inToolOrder, type PositionedMessage } from './tool-order.ts';

const ROLES = ['user', 'assistant', 'system', 'developer'] as const;

const ROLE_PARTS: Record<(typeof ROLES)[number], readonly WirePartType[]> = {
  user: USER_PARTS,
  assistant: ASSISTANT_PARTS,
  system: SYSTEM_PARTS,
  developer: SYSTEM_PARTS,
};

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['type', 'role', 'content']);
const CALL_FIELDS: ReadonlySet<string> = new Set(['type', 'call_id', 'name', 'namespace', 'arguments', 'input']);
const OUTPUT_FIELDS: ReadonlySet<string> = new Set(['type', 'call_id', 'output']);

export function decodeInput(value: Json | undefined): Message[] {
  if (typeof value === 'string') return [{ role: 'user', parts: [{ kind: 'text', text: value }] }];
  if (value !== undefined && value !== null && !Array.isArray(value)) {
    refuseParam('input', reasons.mustBe('input', expected.textOrItems));
  }
  const list = asArray(value, 'input', MAX_ITEMS);
  if (list.length === 0) refuseParam('input', reasons.required('input'));
  const placed: PositionedMessage[] = [];
  for (const [index, item] of list.entries()) {
    const param = `input.${index}`;
    append(placed, decodeItem(asObject(item, param), param), index);
  }
  return inToolOrder(placed);
}

/** Neighbouring items of the model are one turn: other protocols want its text and its calls in one message. */
function append(placed: PositionedMessage[], message: Message, index: number): void {
  const last = placed.at(-1);
  if (message.role === 'assistant' && last?.message.role === 'assistant') {
    last.message.parts.push(...message.parts);
    last.items.push(...message.parts.map(() => index));
    return;
  }
  placed.push({ message, items: message.parts.map(() => index) });
}

function decodeItem(item: JsonObject, param: string): Message {
  const type = optional(item['type'], `${param}.type`, (value, path) => asName(value, path, MAX_NAME)) ?? 'message';
  switch (type) {
    case 'message':
      return decodeMessage(item, param);
    case 'reasoning':
      return turnOf(decodeReasoningItem(item));
    case 'function_call':
      return turnOf(decodeCall(item, param, false));
    case 'custom_tool_call':
      return turnOf(decodeCall(item, param, true));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', parts: [decodeOutput(item, param)] };
    case 'item_reference':
      // The gateway has replaced references by stored items; a reference that is left refers to nothing.
      return refuseParam(`${param}.id`, protocolReasons.noSuchItem);
    case 'compaction': {
      const summary = messageOfCompaction(item);
      return summary ? decodeMessage(summary, param) : unmodelled(item, param);
    }
    default:
      return unmodelled(item, param);
  }
}

/** Other protocols get nothing of it, this one gets it whole. */
function unmodelled(item: JsonObject, param: string): Message {
  return turnOf({ kind: 'text', text: '', ...keep({ block: item, at: param }) });
}

function turnOf(part: Part): Message {
  return { role: 'assistant', parts: [part] };
}

function decodeMessage(item: JsonObject, param: string): Message {
  const role = oneOf(ROLES)(item['role'] ?? null, `${param}.role`);
  const parts = decodeContent(item['content'], `${param}.content`, ROLE_PARTS[role]);
  const rest = fieldsBeside(item, MESSAGE_FIELDS);
  if (role !== 'assistant') return { role, parts, ...keep(rest && { item: rest }) };
  if (!rest) return { role, parts };
  return { role, parts: parts.map((part) => withItem(part, rest)) };
}

function withItem(part: Part, item: JsonObject): Part {
  return { ...part, ...keep({ ...part.extras?.['openai-responses'], item }) };
}

function decodeCall(item: JsonObject, param: string, custom: boolean): Part {
  const field = custom ? 'input' : 'arguments';
  const namespace = optional(item['namespace'], `${param}.namespace`, asString);
  const rest = fieldsBeside(item, CALL_FIELDS);
  return {
    kind: 'tool-call',
    ...splitToolSignature(asName(item['call_id'], `${param}.call_id`, MAX_TOOL_ID)),
    name: flatName(namespace, asName(item['name'], `${param}.name`, MAX_NAME)),
    arguments: optional(item[field], `${param}.${field}`, asString) ?? '',
    ...(namespace !== undefined && { namespace }),
    ...(custom && { custom }),
    ...keep({
      ...(rest && { item: rest }),
      ...(namespace !== undefined && { name: asString(item['name'], `${param}.name`) }),
    }),
  };
}

function decodeOutput(item: JsonObject, param: string): ToolResultPart {
  const rest = fieldsBeside(item, OUTPUT_FIELDS);
  return {
    kind: 'tool-result',
    callId: splitToolSignature(asName(item['call_id'], `${param}.call_id`, MAX_TOOL_ID)).id,
    content: decodeContent(item['output'], `${param}.output`, TOOL_PARTS),
    ...keep(rest && { item: rest }),
  };
}
