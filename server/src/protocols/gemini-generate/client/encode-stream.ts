/**
 * Canonical events → frames of `streamGenerateContent`. The SDKs are strict: a frame is one line of data, without a comment, a
 * name or an id, and every one of them has a candidate with a part, or their chat helpers forget the turn.
 */
import type { Citation, Finish } from '../../../core/chat.ts';
import type { GatewayError } from '../../../core/errors.ts';
import type { ChatEvent, PartDelta, PartEnd, PartStart } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView, StreamEncoder } from '../../protocol.ts';
import { encodeServiceExtension } from '../../service-extension.ts';
import { blockReasonOf, encodeFinish } from '../finish.ts';
import { mimeTypeOf } from '../upstream/encode-media.ts';
import { encodeUsage } from '../usage.ts';
import { callPart, citationMetadata, EMPTY_PART, inlineData, showsThoughts, thoughtPart } from './encode-parts.ts';
import { errorFrame } from './errors.ts';
import { geminiFrame } from './gemini-frame.ts';
import { signThought } from './thought-signature.ts';

/** The only empty frame that every SDK accepts. */
export const SILENT_FRAME: string = geminiFrame({
  candidates: [{ content: { role: 'model', parts: [EMPTY_PART] }, index: 0 }],
});

export function openEncoder(view: ClientView): StreamEncoder {
  return new GenerateEncoder(view);
}

interface OpenPart {
  start: PartStart;
  /** The arguments of a call so far; of reasoning, whether it has text. */
  text: string;
}

class GenerateEncoder implements StreamEncoder {
  readonly #view: ClientView;
  readonly #shows: boolean;
  readonly #parts = new Map<number, OpenPart>();
  readonly #citations = new Map<number, Citation[]>();
  readonly #refused = new Set<number>();
  #choices = 1;
  #said = false;
  #finishes: readonly Finish[] = [];

  constructor(view: ClientView) {
    this.#view = view;
    this.#shows = showsThoughts(view.request);
  }

  encode(event: ChatEvent): string {
    switch (event.type) {
      case 'part-start':
        return this.#start(event);
      case 'part-delta':
        return this.#delta(event);
      case 'part-end':
        return this.#end(event);
      case 'response-end':
        this.#finishes = event.finishes;
        return '';
      case 'response-start':
      case 'usage-update':
      case 'failure':
        return '';
    }
  }

  finish(closing: AnswerClosing): string {
    const svc = encodeServiceExtension(closing);
    return this.#frame({ ...this.#ends(), usageMetadata: encodeUsage(closing) }, svc && { svc });
  }

  fail(error: GatewayError): string {
    return errorFrame(error, this.#view);
  }

  #start(event: PartStart): string {
    this.#choices = Math.max(this.#choices, event.choice + 1);
    if (event.kind === 'image') {
      const { mediaType, data } = event.image ?? { mediaType: 'image/png', data: '' };
      return this.#write(event.choice, inlineData(mediaType, data));
    }
    this.#parts.set(event.part, { start: event, text: '' });
    return '';
  }

  #delta({ part, text, citation }: PartDelta): string {
    const open = this.#parts.get(part);
    if (!open) return '';
    const { kind, choice, audio } = open.start;
    if (citation) this.#cite(choice, citation);
    if (text === '') return '';
    switch (kind) {
      case 'tool-call':
        open.text += text;
        return '';
      case 'reasoning':
        open.text = text;
        return this.#shows ? this.#write(choice, { text, thought: true }) : '';
      case 'audio':
        return this.#write(choice, inlineData(mimeTypeOf(audio?.format ?? 'pcm16'), text));
      case 'refusal':
        this.#refused.add(choice);
        return this.#write(choice, { text });
      default:
        return this.#write(choice, { text });
    }
  }

  #end({ part, signature, encrypted }: PartEnd): string {
    const open = this.#parts.get(part);
    if (!open) return '';
    this.#parts.delete(part);
    const { kind, choice, toolCall, reasoning } = open.start;
    if (kind === 'tool-call' && toolCall) {
      const { id, name, signature: early } = toolCall;
      return this.#write(choice, callPart(id, name, open.text, signature ?? early));
    }
    if (kind === 'text' && signature !== undefined)
      return this.#write(choice, { text: '', thoughtSignature: signature });
    if (kind !== 'reasoning' || (open.text !== '' && !this.#shows)) return '';
    const late = { ...(signature !== undefined && { signature }), ...(encrypted !== undefined && { encrypted }) };
    const thought = thoughtPart('', signThought({ ...reasoning, ...late }));
    return thought ? this.#write(choice, thought) : '';
  }

  #cite(choice: number, citation: Citation): void {
    const known = this.#citations.get(choice);
    if (known) known.push(citation);
    else this.#citations.set(choice, [citation]);
  }

  /** The finish reason of each choice. One that was refused before its first token is reported as a blocked prompt. */
  #ends(): JsonObject {
    const [first] = this.#finishes;
    if (!this.#said && this.#choices === 1 && first?.kind === 'content-filter')
      return { promptFeedback: { blockReason: blockReasonOf(first) } };
    const candidates = Array.from({ length: this.#choices }, (_, index): JsonObject => {
      const citations = citationMetadata(this.#citations.get(index) ?? []);
      return {
        content: { role: 'model', parts: [EMPTY_PART] },
        finishReason: encodeFinish(this.#finishes[index] ?? { kind: 'stop' }, this.#refused.has(index)),
        index,
        ...(citations && { citationMetadata: citations }),
      };
    });
    return { candidates };
  }

  #write(index: number, part: JsonObject): string {
    this.#said = true;
    return this.#frame({ candidates: [{ content: { role: 'model', parts: [part] }, index }] });
  }

  #frame(fields: JsonObject, more?: JsonObject): string {
    const { model: modelVersion, responseId } = this.#view;
    return geminiFrame({ ...fields, modelVersion, responseId, ...more });
  }
}
