/**
 * Every tool call is answered by the tool messages right after it, and every tool message answers a call. Providers
 * refuse anything else, each in its own way and some only after charging, so it is refused here.
 */

import type { Message, Part } from '../../core/chat.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { refuseParam } from '../read-fields.ts';
import { protocolReasons } from '../reasons.ts';

export function refuseBrokenToolOrder(messages: readonly Message[], wire: readonly Json[]): void {
  // Calls that wait for their answer: id → path of the call.
  let waiting = NONE;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Message;
    if (message.role === 'tool') {
      for (const part of message.parts) {
        if (part.kind !== 'tool-result' || waiting.delete(part.callId)) continue;
        refuseParam(`messages.${index}.tool_call_id`, reasons.orphanToolMessage(part.callId));
      }
      continue;
    }
    refuseUnanswered(waiting);
    if (message.role === 'assistant' && message.parts.some(isCall)) {
      waiting = new Map();
      noteCalls(message, index, wire[index], waiting);
    }
  }
  refuseUnanswered(waiting);
}

/** It is shared and must never be changed. */
const NONE = new Map<string, string>();

function isCall({ kind }: Part): boolean {
  return kind === 'tool-call';
}

function noteCalls(message: Message, index: number, wire: Json | undefined, waiting: Map<string, string>): void {
  let at = 0;
  const listed = isJsonObject(wire) && Array.isArray(wire['tool_calls']) ? wire['tool_calls'].length : 0;
  for (const part of message.parts) {
    if (part.kind !== 'tool-call') continue;
    const param = at < listed ? `messages.${index}.tool_calls.${at}` : `messages.${index}.function_call`;
    at++;
    if (waiting.has(part.id)) {
      refuseParam(`${param}.id`, protocolReasons.idUsedTwice(part.id));
    }
    waiting.set(part.id, param);
  }
}

function refuseUnanswered(waiting: ReadonlyMap<string, string>): void {
  if (waiting.size === 0) return;
  for (const [id, param] of waiting) refuseParam(param, reasons.unansweredToolCall(id));
}
