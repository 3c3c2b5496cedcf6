/**
 * `contents` → messages. A streamed answer comes back in as many contents as it had frames, so neighbours of the model are one
 * turn; and most clients answer a call by its name alone, so results find their calls by id, by name, and by order.
 */
import type { Message, Part, ToolResultPart } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import type { Json } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { asObject, oneOf, optional } from '../../read-fields.ts';
import { protocolReasons } from '../../reasons.ts';
import { keep, kept } from '../own-fields.ts';
import { type DecodedPart, decodePart, type FunctionCall, type FunctionResponse } from './decode-parts.ts';
import { asItems } from './wire-names.ts';

/** `function` is the older role of results; `tool` is what the examples for Python still write. */
const readRole = oneOf(['user', 'model', 'function', 'tool']);

export function decodeContents(value: Json | undefined, at = 'contents'): Message[] {
  const wire = asItems(value, at);
  if (wire.length === 0) throw invalidRequest(at, reasons.needsOne(at));
  const turns = new Turns();
  for (const [index, item] of wire.entries()) {
    const place = `${at}.${index}`;
    const content = asObject(item, place);
    const role = optional(content['role'] || undefined, `${place}.role`, readRole) ?? 'user';
    const parts = asItems(content['parts'] ?? [], `${place}.parts`).map((part, position) =>
      decodePart(part, `${place}.parts.${position}`),
    );
    if (role === 'model') turns.model(parts, place);
    else turns.user(parts, place);
  }
  return turns.end();
}

interface WaitingCall {
  id: string;
  name: string;
  at: string;
}

class Turns {
  readonly #messages: Message[] = [];
  #waiting: WaitingCall[] = [];
  #spoken: Part[] = [];
  #results: ToolResultPart[] = [];
  #said: Message[] = [];
  #calls = 0;

  model(parts: readonly DecodedPart[], at: string): void {
    this.#endUser();
    for (const [index, { said, call }] of parts.entries()) {
      const place = `${at}.parts.${index}`;
      if (call) this.#call(call, place);
      else if (said) addSpoken(this.#spoken, said);
      else throw invalidRequest(place, protocolReasons.blockNotInThisRole);
    }
  }

  user(parts: readonly DecodedPart[], at: string): void {
    this.#endModel();
    const said: Part[] = [];
    for (const [index, part] of parts.entries()) {
      const place = `${at}.parts.${index}`;
      if (part.response) this.#results.push(this.#answer(part.response, place));
      else if (part.said && part.said.kind !== 'reasoning') said.push(part.said);
      else throw invalidRequest(place, protocolReasons.blockNotInThisRole);
    }
    if (said.length > 0) this.#said.push({ role: 'user', parts: said });
  }

  end(): Message[] {
    this.#endModel();
    this.#endUser();
    return this.#messages;
  }

  #call({ name, id = `call_made_${this.#calls}`, arguments: given, signature }: FunctionCall, at: string): void {
    this.#calls++;
    this.#waiting.push({ id, name, at });
    const signed = signature === undefined ? {} : { signature };
    this.#spoken.push({ kind: 'tool-call', id, name, arguments: given, ...signed });
  }

  #answer({ id, name, content, isError, whole }: FunctionResponse, at: string): ToolResultPart {
    let index = id === undefined ? -1 : this.#waiting.findIndex((call) => call.id === id);
    if (index === -1) index = this.#waiting.findIndex((call) => call.name === name);
    const [call] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (!call) throw invalidRequest(at, reasons.orphanToolMessage(id ?? name));
    return {
      kind: 'tool-result',
      callId: call.id,
      content,
      ...(isError && { isError }),
      ...keep(whole ? { whole } : undefined),
    };
  }

  #endModel(): void {
    if (this.#spoken.length > 0) this.#messages.push({ role: 'assistant', parts: this.#spoken });
    this.#spoken = [];
  }

  /** Results come first in their turn, because other protocols want them right after the calls. */
  #endUser(): void {
    if (this.#results.length > 0) this.#messages.push({ role: 'tool', parts: this.#results });
    this.#messages.push(...this.#said);
    this.#results = [];
    this.#said = [];
    // A call without a result.
    if (this.#spoken.length === 0) for (const { id, at } of this.#waiting) refuseUnanswered(id, at);
  }
}

function refuseUnanswered(id: string, at: string): never {
  throw invalidRequest(at, reasons.unansweredToolCall(id));
}

/** Pieces of one text are joined; a signature ends the text, since it signs what came before. */
function addSpoken(spoken: Part[], part: Part): void {
  const last = spoken.at(-1);
  if (part.kind === 'text' && !isBlock(part)) {
    if (part.text === '' && !part.extras) return;
    if (last?.kind === 'text' && !last.extras) {
      spoken[spoken.length - 1] = { ...part, text: last.text + part.text };
      return;
    }
  }
  if (part.kind === 'reasoning') {
    if (part.text === '' && part.origin === undefined) return;
    if (last?.kind === 'reasoning' && last.origin === undefined) {
      spoken[spoken.length - 1] = { ...part, text: last.text + part.text };
      return;
    }
  }
  spoken.push(part);
}

function isBlock(part: Part): boolean {
  return kept(part)?.['block'] !== undefined;
}
