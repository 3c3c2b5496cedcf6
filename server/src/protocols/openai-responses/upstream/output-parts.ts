/** Items of an answer as canonical parts. Reading is lenient: a provider's item that is not understood is kept whole. */
import type { Part, TextPart } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { fieldsBeside } from '../../read-fields.ts';
import { decodeAnnotations } from '../annotations.ts';
import { keep } from '../own-fields.ts';
import { decodeReasoningItem } from '../reasoning-item.ts';
import { flatName } from '../tool-names.ts';

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['type', 'role', 'content']);

export function partsOf(item: JsonObject): Part[] {
  switch (item['type']) {
    case 'message':
      return messageParts(item);
    case 'reasoning':
      return [decodeReasoningItem(item)];
    case 'function_call':
    case 'custom_tool_call': {
      const start = toolCallStart(item);
      return start
        ? [{ kind: 'tool-call', ...start, arguments: argumentsOf(item), ...itemExtras(item) }]
        : [opaque(item)];
    }
    case 'image_generation_call':
      return typeof item['result'] === 'string' ? [imagePart(item, item['result'])] : [opaque(item)];
    default:
      return [opaque(item)];
  }
}

export function opaque(item: JsonObject): TextPart {
  return { kind: 'text', text: '', ...keep({ block: item }) };
}

function messageParts(item: JsonObject): Part[] {
  const content = Array.isArray(item['content']) ? item['content'].filter(isJsonObject) : [];
  const extras = messageExtras(item);
  return content.flatMap((part): Part[] => {
    if (part['type'] === 'refusal') return [{ kind: 'refusal', text: textOf(part['refusal']), ...extras }];
    if (part['type'] !== 'output_text') return [];
    const citations = decodeAnnotations(part['annotations']);
    return [{ kind: 'text', text: textOf(part['text']), ...(citations.length > 0 && { citations }), ...extras }];
  });
}

/** `id` and `phase` of the message that a text stands in; its status says nothing about a whole answer. */
export function messageExtras(item: JsonObject) {
  const { status: _status, ...fields } = fieldsBeside(item, MESSAGE_FIELDS) ?? {};
  return keep(Object.keys(fields).length > 0 ? { item: fields } : undefined);
}

export interface ToolCallStart {
  id: string;
  name: string;
  namespace?: string;
  custom?: boolean;
}

/** Returns undefined for a call that cannot be answered. */
export function toolCallStart(item: JsonObject): ToolCallStart | undefined {
  const { call_id: callId, id, name, namespace } = item;
  const called = typeof callId === 'string' && callId !== '' ? callId : id;
  if (typeof called !== 'string' || called === '' || typeof name !== 'string' || name === '') return undefined;
  const space = typeof namespace === 'string' && namespace !== '' ? namespace : undefined;
  return {
    id: called,
    name: flatName(space, name),
    ...(space !== undefined && { namespace: space }),
    ...(item['type'] === 'custom_tool_call' && { custom: true }),
  };
}

/** The item's own id, and the name within its namespace, which the flat name cannot always tell. */
export function itemExtras({ id, name, namespace }: JsonObject) {
  return keep({
    ...(typeof id === 'string' && id !== '' && { item: { id } }),
    ...(typeof namespace === 'string' && typeof name === 'string' && { name }),
  });
}

export function argumentsOf(item: JsonObject): string {
  return textOf(item['type'] === 'custom_tool_call' ? item['input'] : item['arguments']);
}

export function imagePart(item: JsonObject, data: string) {
  const format = typeof item['output_format'] === 'string' ? item['output_format'] : 'png';
  return { kind: 'image' as const, source: { kind: 'data' as const, mediaType: `image/${format}`, data } };
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
