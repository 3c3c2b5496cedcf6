/** The canonical conversation as items of this protocol. */
import type { Message, Part, ToolCallPart, ToolResultPart } from '../../../core/chat.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Quirks } from '../../protocol.ts';
import { kept, keptBlock, keptItem } from '../own-fields.ts';
import { replayedReasoning } from '../reasoning-item.ts';
import { providerCallId } from './call-ids.ts';
import { encodeInputContent, encodeOutputPart } from './encode-content.ts';

export const FOREIGN_REASONING = 'earlier reasoning dropped: it was not made by this provider';

export interface EncodedInput {
  instructions: string | undefined;
  input: JsonObject[];
}

export function encodeInput(messages: readonly Message[], quirks: Quirks, warnings: string[]): EncodedInput {
  const customCalls = new Set<string>();
  const encoded: EncodedInput = { instructions: undefined, input: [] };
  for (const [index, message] of messages.entries()) {
    const param = `messages.${index}`;
    const [first] = message.parts;
    if (kept(message)?.['instructions'] === true && first?.kind === 'text') {
      encoded.instructions = first.text;
    } else if (message.role === 'assistant') {
      encoded.input.push(...encodeTurn(message.parts, customCalls, warnings));
    } else if (message.role === 'tool') {
      for (const part of message.parts) {
        if (part.kind === 'tool-result') encoded.input.push(encodeOutput(part, customCalls, param));
      }
    } else {
      const role = message.role === 'developer' && quirks.noDeveloperRole ? 'system' : message.role;
      encoded.input.push({ ...keptItem(message), role, content: encodeInputContent(message.parts, param) });
    }
  }
  return encoded;
}

function encodeTurn(parts: readonly Part[], customCalls: Set<string>, warnings: string[]): JsonObject[] {
  const items: JsonObject[] = [];
  /** The item that the current text belongs to. */
  let open: { item: JsonObject | undefined; content: JsonObject[] } | undefined;
  for (const part of parts) {
    const block = part.kind === 'reasoning' ? undefined : keptBlock(part);
    if (!block && (part.kind === 'text' || part.kind === 'refusal')) {
      const item = keptItem(part);
      if (!open || open.item !== item) {
        open = { item, content: [] };
        items.push({ ...item, type: 'message', role: 'assistant', content: open.content });
      }
      open.content.push(encodeOutputPart(part));
      continue;
    }
    open = undefined;
    const encoded = block ?? encodeOther(part, customCalls);
    if (encoded) items.push(encoded);
    else if (part.kind === 'reasoning' && !warnings.includes(FOREIGN_REASONING)) warnings.push(FOREIGN_REASONING);
  }
  return items;
}

/** Returns undefined for what a provider of this protocol could not take back. */
function encodeOther(part: Part, customCalls: Set<string>): JsonObject | undefined {
  if (part.kind === 'tool-call') return encodeCall(part, customCalls);
  return part.kind === 'reasoning' ? replayedReasoning(part) : undefined;
}

function encodeCall(call: ToolCallPart, customCalls: Set<string>): JsonObject {
  const name = kept(call)?.['name'];
  const head = {
    ...keptItem(call),
    call_id: providerCallId(call.id),
    name: call.namespace !== undefined && typeof name === 'string' ? name : call.name,
    ...(call.namespace !== undefined && { namespace: call.namespace }),
  };
  if (!call.custom) return { type: 'function_call', ...head, arguments: call.arguments || '{}' };
  customCalls.add(call.id);
  return { type: 'custom_tool_call', ...head, input: call.arguments };
}

function encodeOutput(result: ToolResultPart, customCalls: ReadonlySet<string>, param: string): JsonObject {
  return {
    ...keptItem(result),
    type: customCalls.has(result.callId) ? 'custom_tool_call_output' : 'function_call_output',
    call_id: providerCallId(result.callId),
    output: encodeInputContent(result.content, param),
  };
}
