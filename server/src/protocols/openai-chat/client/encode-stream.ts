/** Canonical events as chunks of the chat protocol. */
import type { ReasoningPart } from '../../../core/chat.ts';
import type { GatewayError } from '../../../core/errors.ts';
import type { ChatEvent, PartDelta, PartEnd, PartStart, ResponseEnd } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView, StreamEncoder } from '../../protocol.ts';
import { joinToolSignature } from '../../tool-signature.ts';
import { encodeFinish } from '../finish.ts';
import { encodeCitation, encodeImage } from '../message-parts.ts';
import { encodeDetails } from '../reasoning-details.ts';
import { signedContent } from '../tool-calls.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { errorFrame } from './errors.ts';

interface OpenPart {
  start: PartStart;
  /** Number of the call within its choice, or of the reasoning within the answer. */
  position: number;
  /** All text of reasoning, which a late signature must stand beside; of a tool call, whether arguments were sent. */
  text: string;
}

export class ChatStreamEncoder implements StreamEncoder {
  readonly #view: ClientView;
  readonly #write: ChunkWriter;
  readonly #open = new Map<number, OpenPart>();
  readonly #begun = new Set<number>();
  readonly #toolCalls = new Map<number, number>();
  #reasonings = 0;

  constructor(view: ClientView) {
    this.#view = view;
    this.#write = new ChunkWriter(view);
  }

  encode(event: ChatEvent): string {
    switch (event.type) {
      case 'response-start':
        return this.#begin(0);
      case 'part-start':
        return this.#begin(event.choice) + this.#startPart(event);
      case 'part-delta':
        return this.#delta(event);
      case 'part-end':
        return this.#endPart(event);
      case 'response-end':
        return this.#end(event);
      case 'usage-update':
      case 'failure':
        // Usage waits for `finish`, where its cost is known; the gateway turns a failure into `fail`.
        return '';
    }
  }

  finish(closing: AnswerClosing): string {
    return this.#write.closing(closing);
  }

  fail(error: GatewayError): string {
    return errorFrame(error, this.#view);
  }

  #begin(choice: number): string {
    if (this.#begun.has(choice)) return '';
    this.#begun.add(choice);
    return this.#write.role(choice);
  }

  #startPart(start: PartStart): string {
    const open: OpenPart = { start, position: 0, text: '' };
    this.#open.set(start.part, open);
    if (start.kind === 'image' && start.image)
      return this.#write.delta(start.choice, { images: [encodeImage(start.image)] });
    if (start.kind === 'reasoning') open.position = this.#reasonings++;
    if (start.kind !== 'tool-call' || !start.toolCall) return '';
    open.position = this.#toolCalls.get(start.choice) ?? 0;
    this.#toolCalls.set(start.choice, open.position + 1);
    const { id, name, custom, signature } = start.toolCall;
    return this.#toolDelta(open, {
      id: joinToolSignature(id, signature),
      ...(custom
        ? { type: 'custom', custom: { name, input: '' } }
        : { type: 'function', function: { name, arguments: '' } }),
      ...(signature !== undefined && { extra_content: signedContent(signature) }),
    });
  }

  #toolDelta(open: OpenPart, fields: JsonObject): string {
    return this.#write.delta(open.start.choice, { tool_calls: [{ index: open.position, ...fields }] });
  }

  #delta(event: PartDelta): string {
    const open = this.#open.get(event.part);
    if (!open) return '';
    const { choice, kind } = open.start;
    const { text, citation, logprobs, transcript } = event;
    switch (kind) {
      case 'text': {
        const annotation = citation && encodeCitation(citation);
        if (text === '' && !annotation && !logprobs) return '';
        return this.#write.delta(choice, { content: text, ...(annotation && { annotations: [annotation] }) }, logprobs);
      }
      case 'refusal':
        return this.#write.delta(choice, { refusal: text }, logprobs);
      case 'reasoning':
        return text === '' ? '' : this.#reason(open, text);
      case 'tool-call':
        if (text === '') return '';
        open.text = 'sent';
        return this.#toolDelta(open, argumentsOf(open.start, text));
      case 'audio': {
        const id = open.start.audio?.id;
        const audio = {
          ...(id !== undefined && { id }),
          ...(text !== '' && { data: text }),
          ...(transcript !== undefined && { transcript }),
        };
        return this.#write.delta(choice, { audio });
      }
      case 'image':
        return '';
    }
  }

  #endPart(end: PartEnd): string {
    const open = this.#open.get(end.part);
    if (!open) return '';
    this.#open.delete(end.part);
    if (open.start.kind === 'reasoning') return this.#endReasoning(open, end);
    if (open.start.kind !== 'tool-call') return '';
    const custom = open.start.toolCall?.custom === true;
    // A call without arguments gets `{}`: clients parse the text, and '' is not JSON.
    const none = open.text === '' && !custom ? this.#toolDelta(open, argumentsOf(open.start, '{}')) : '';
    const signed =
      end.signature === undefined ? '' : this.#toolDelta(open, { extra_content: signedContent(end.signature) });
    return none + signed;
  }

  /**
   * Reasoning stands in `reasoning_details` too, piece by piece beside the plain field: clients read one of the two in each chunk, and join the pieces of one index when they send them back.
   */
  #reason(open: OpenPart, text: string): string {
    const { start, position } = open;
    const { encrypted: _encrypted, ...known } = start.reasoning ?? {};
    const details = encodeDetails({ kind: 'reasoning', text, ...known }, position);
    return this.#write.delta(start.choice, { reasoning_content: text, reasoning_details: details });
  }

  /** Writes what is known only at the end. The text is not repeated: a client that joins the pieces would have it twice. */
  #endReasoning(open: OpenPart, { signature, encrypted }: PartEnd): string {
    const part: ReasoningPart = {
      kind: 'reasoning',
      text: '',
      ...open.start.reasoning,
      ...(signature !== undefined && { signature }),
      ...(encrypted !== undefined && { encrypted }),
    };
    const items = encodeDetails(part, open.position);
    return this.#details(
      open,
      items.filter((item) => item['signature'] !== undefined || item['data'] !== undefined),
    );
  }

  #details({ start }: OpenPart, items: JsonObject[]): string {
    return items.length === 0 ? '' : this.#write.delta(start.choice, { reasoning_details: items });
  }

  #end({ finishes, serviceTier }: ResponseEnd): string {
    const tier = serviceTier === undefined ? '' : `,"service_tier":${JSON.stringify(serviceTier)}`;
    let frames = '';
    for (const [choice, finish] of finishes.entries()) {
      frames += this.#begin(choice) + this.#write.finish(choice, encodeFinish(finish), undefined, tier);
    }
    return frames;
  }
}

function argumentsOf(start: PartStart, text: string): JsonObject {
  return start.toolCall?.custom ? { custom: { input: text } } : { function: { arguments: text } };
}
