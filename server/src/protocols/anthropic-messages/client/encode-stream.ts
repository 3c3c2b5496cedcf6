/** Canonical events → the exact event sequence of this protocol. */
import type { Finish } from '../../../core/chat.ts';
import type { GatewayError } from '../../../core/errors.ts';
import type { ChatEvent, PartDelta, PartEnd, PartStart, ResponseStart } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView, StreamEncoder } from '../../protocol.ts';
import { encodeServiceExtension } from '../../service-extension.ts';
import { encodeCitation } from '../citations.ts';
import { encodeFinish } from '../finish.ts';
import { kept, keptBlock, PROTOCOL } from '../own-fields.ts';
import { sealReasoning } from '../reasoning-seal.ts';
import { ToolIds } from '../tool-ids.ts';
import { encodeUsage, openingUsage } from '../usage.ts';
import { type BlockPlan, BlockWriter, writeEvent } from './block-writer.ts';
import { answerToolId } from './encode-response.ts';
import { errorFrame } from './errors.ts';

export const PING_FRAME = writeEvent({ type: 'ping' });

export function openEncoder(view: ClientView): StreamEncoder {
  return new MessagesEncoder(view);
}

interface PartState {
  kind: PartStart['kind'];
  start: PartStart;
}

class MessagesEncoder implements StreamEncoder {
  readonly #view: ClientView;
  readonly #writer = new BlockWriter();
  readonly #ids = new ToolIds();
  readonly #parts = new Map<number, PartState>();
  #started = false;
  #finish: Finish = { kind: 'stop' };
  #endFields: JsonObject | undefined;

  constructor(view: ClientView) {
    this.#view = view;
  }

  encode(event: ChatEvent): string {
    switch (event.type) {
      case 'response-start':
        return this.#open(event);
      case 'part-start':
        // The protocol has one choice.
        if (event.choice === 0) this.#startPart(event);
        break;
      case 'part-delta':
        this.#passDelta(event);
        break;
      case 'part-end':
        this.#endPart(event);
        break;
      case 'response-end':
        this.#finish = event.finishes[0] ?? this.#finish;
        this.#endFields = kept(event);
        break;
      case 'usage-update':
      case 'failure':
        // The last usage comes with `finish`, an error with `fail`.
        return '';
    }
    return this.#opened() + this.#writer.take();
  }

  finish(closing: AnswerClosing): string {
    this.#writer.endAll();
    const kinds = [...this.#parts.values()].map(({ kind }) => kind);
    const { reason, sequence } = encodeFinish(this.#finish, {
      refused: kinds.includes('refusal'),
      calledTool: kinds.includes('tool-call'),
    });
    // Only this field stands beside `delta` in the event; all others are inside it.
    const { context_management: edits, ...fields } = this.#endFields ?? {};
    const svc = encodeServiceExtension(closing);
    const last = writeEvent({
      type: 'message_delta',
      delta: { ...fields, stop_reason: reason, stop_sequence: sequence },
      usage: encodeUsage(closing),
      ...(edits !== undefined && { context_management: edits }),
      ...(svc && { svc }),
    });
    return this.#opened() + this.#writer.take() + last + writeEvent({ type: 'message_stop' });
  }

  fail(error: GatewayError): string {
    return errorFrame(error, this.#view);
  }

  #opened(): string {
    return this.#started ? '' : this.#open({ type: 'response-start' });
  }

  #open(event: ResponseStart): string {
    if (this.#started) return '';
    this.#started = true;
    const message: JsonObject = {
      ...kept(event),
      id: this.#view.responseId,
      type: 'message',
      role: 'assistant',
      model: this.#view.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: openingUsage(this.#view.inputEstimate),
    };
    return writeEvent({ type: 'message_start', message }) + PING_FRAME;
  }

  #startPart(event: PartStart): void {
    const plan = this.#planOf(event);
    if (!plan) return;
    this.#parts.set(event.part, { kind: event.kind, start: event });
    this.#writer.begin(event.part, plan);
    const input = keptBlock(event)?.['input'];
    if (isJsonObject(input)) this.#writer.delta(event.part, inputDelta(JSON.stringify(input)));
  }

  /** Returns undefined for what this protocol has no block for: pictures a model made. */
  #planOf(event: PartStart): BlockPlan | undefined {
    const whole = keptBlock(event);
    // Like every input on this wire, that of a server's tool starts empty and follows in a delta: clients read it there.
    const start = whole && isJsonObject(whole['input']) ? { ...whole, input: {} } : whole;
    if (start) return { start, standsEmpty: true, isToolCall: false };
    switch (event.kind) {
      case 'text':
      case 'refusal':
      case 'audio':
        return { start: { type: 'text', text: '' }, standsEmpty: false, isToolCall: false };
      case 'reasoning': {
        const { origin, encrypted } = event.reasoning ?? {};
        if (origin === PROTOCOL && encrypted !== undefined) return redacted(encrypted);
        const start = { type: 'thinking', thinking: '', signature: '' };
        return { start, standsEmpty: false, isToolCall: false };
      }
      case 'tool-call':
        return { start: this.#toolUse(event, event.toolCall?.signature), standsEmpty: true, isToolCall: true };
      case 'image':
        return undefined;
    }
  }

  #toolUse(event: PartStart, signature: string | undefined): JsonObject {
    const { id = '', name = '' } = event.toolCall ?? {};
    const signed = { id, ...(signature !== undefined && { signature }) };
    return { type: 'tool_use', id: answerToolId(signed, this.#ids), name, input: {}, ...kept(event) };
  }

  #passDelta({ part, text, citation, transcript }: PartDelta): void {
    const state = this.#parts.get(part);
    if (!state || keptBlock(state.start)) return;
    const spoken = state.kind === 'audio' ? (transcript ?? '') : text;
    if (spoken !== '') this.#writer.delta(part, deltaOf(state, spoken));
    if (citation) this.#writer.delta(part, { type: 'citations_delta', citation: encodeCitation(citation) });
  }

  #endPart({ part, signature, encrypted }: PartEnd): void {
    const state = this.#parts.get(part);
    if (state?.kind === 'reasoning') this.#signReasoning(part, state.start, signature, encrypted);
    if (state?.kind === 'tool-call' && signature !== undefined) {
      // The signature is part of the id, which can still be written only while the block waits for its turn.
      this.#writer.replaceStart(part, this.#toolUse(state.start, signature));
    }
    this.#writer.end(part);
  }

  #signReasoning(part: number, start: PartStart, signature: string | undefined, late: string | undefined): void {
    const { origin, id, encrypted = late } = start.reasoning ?? {};
    if (origin === PROTOCOL && encrypted !== undefined) return;
    const opaque = {
      ...(signature !== undefined && { signature }),
      ...(encrypted !== undefined && { encrypted }),
      ...(id !== undefined && { id }),
      ...(origin !== undefined && { origin }),
    };
    const sealed = sealReasoning(opaque);
    if (sealed !== '') this.#writer.delta(part, { type: 'signature_delta', signature: sealed });
  }
}

function redacted(data: string): BlockPlan {
  return { start: { type: 'redacted_thinking', data }, standsEmpty: true, isToolCall: false };
}

function deltaOf({ kind }: PartState, text: string): JsonObject {
  if (kind === 'reasoning') return { type: 'thinking_delta', thinking: text };
  if (kind !== 'tool-call') return { type: 'text_delta', text };
  return inputDelta(text);
}

function inputDelta(json: string): JsonObject {
  return { type: 'input_json_delta', partial_json: json };
}
