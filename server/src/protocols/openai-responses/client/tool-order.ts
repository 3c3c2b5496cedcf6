/**
 * This protocol lets an output stand anywhere after its call; the others want it right behind the turn that called. Outputs
 * are moved there. A call without an output, or an output without a call, is refused by all of them, so it is refused here.
 */
import type { Message, ToolCallPart } from '../../../core/chat.ts';
import { reasons } from '../../../core/reasons.ts';
import { refuseParam } from '../../read-fields.ts';
import { keptBlock } from '../own-fields.ts';

/** A message and the index of the item it began with, for the `param` of refusals. */
export interface PositionedMessage {
  message: Message;
  /** The index of the item in which each part came. */
  items: number[];
}

export function inToolOrder(placed: readonly PositionedMessage[]): Message[] {
  const outputs = outputsByCall(placed);
  const ordered: Message[] = [];
  for (const { message, items } of placed) {
    if (message.role === 'tool') {
      if (answersOpaqueCall(message, ordered)) ordered.push(...takeOutput(message, outputs));
      continue;
    }
    ordered.push(message);
    for (const [at, part] of message.parts.entries()) {
      if (part.kind === 'tool-call') ordered.push(outputOf(part, items[at] ?? 0, outputs));
    }
  }
  for (const [callId, [orphan]] of outputs) {
    if (orphan) refuseParam(`input.${orphan.index}.call_id`, reasons.orphanToolMessage(callId));
  }
  return ordered;
}

/** Calls we do not model (`tool_search_call`) are answered like others; only a provider of this protocol sees either. */
function answersOpaqueCall({ parts: [result] }: Message, before: readonly Message[]): boolean {
  if (result?.kind !== 'tool-result') return false;
  return before.some(({ parts }) => parts.some((part) => keptBlock(part)?.['call_id'] === result.callId));
}

function takeOutput(message: Message, outputs: Map<string, Output[]>): Message[] {
  const [result] = message.parts;
  const waiting = result?.kind === 'tool-result' ? outputs.get(result.callId) : undefined;
  const at = waiting?.findIndex((output) => output.message === message) ?? -1;
  return at < 0 || !waiting ? [] : waiting.splice(at, 1).map((output) => output.message);
}

interface Output {
  message: Message;
  index: number;
}

function outputsByCall(placed: readonly PositionedMessage[]): Map<string, Output[]> {
  const outputs = new Map<string, Output[]>();
  for (const { message, items } of placed) {
    const part = message.role === 'tool' ? message.parts[0] : undefined;
    if (part?.kind !== 'tool-result') continue;
    const known = outputs.get(part.callId);
    const output = { message, index: items[0] ?? 0 };
    if (known) known.push(output);
    else outputs.set(part.callId, [output]);
  }
  return outputs;
}

function outputOf({ id }: ToolCallPart, index: number, outputs: Map<string, Output[]>): Message {
  const output = outputs.get(id)?.shift();
  // An output before its call belongs to an earlier call of the same id, or to none.
  if (!output || output.index < index) refuseParam(`input.${index}`, reasons.unansweredToolCall(id));
  return output.message;
}
