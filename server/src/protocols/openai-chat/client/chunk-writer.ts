/**
 * Writes chunks of one stream. Their common head is made once, because the thousands of chunks of a stream differ only
 * in a few fields.
 */
import type { JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView } from '../../protocol.ts';
import { writeFrame } from '../../sse.ts';
import { addClosing } from './encode-response.ts';

const DONE = writeFrame('[DONE]');

export class ChunkWriter {
  readonly #head: string;
  readonly #includeUsage: boolean;

  constructor({ responseId, created, model, request }: ClientView) {
    const head = JSON.stringify({ id: responseId, object: 'chat.completion.chunk', created, model });
    this.#head = `data: ${head.slice(0, -1)},"choices":[`;
    this.#includeUsage = request.includeUsage === true;
  }

  delta(choice: number, delta: JsonObject, logprobs?: JsonObject): string {
    const chances = logprobs === undefined ? 'null' : JSON.stringify(logprobs);
    return `${this.#head}{"index":${choice},"delta":${JSON.stringify(delta)},"logprobs":${chances},"finish_reason":null}]}\n\n`;
  }

  /** Writes a provider's own choice and, beside the head, its own fields (`,"name":value…`), both as JSON. */
  relayed(choice: string, fields: string): string {
    return `${this.#head}${choice}]${fields}}\n\n`;
  }

  /** The first chunk of a choice; `fields` as in `relayed`. */
  role(choice: number, fields = ''): string {
    const delta = '{"role":"assistant","content":"","refusal":null}';
    return this.relayed(`{"index":${choice},"delta":${delta},"logprobs":null,"finish_reason":null}`, fields);
  }

  /** `ofChoice` and `ofChunk` are a provider's own fields beside the reason, the latter as in `relayed`. */
  finish(choice: number, reason: string, ofChoice?: JsonObject, ofChunk = ''): string {
    const more = ofChoice === undefined ? '' : `,${JSON.stringify(ofChoice).slice(1, -1)}`;
    const word = JSON.stringify(reason);
    return `${this.#head}{"index":${choice},"delta":{},"logprobs":null,"finish_reason":${word}${more}}]${ofChunk}}\n\n`;
  }

  /** Writes usage, when it was asked for, and sources, when there are any, in one chunk; then the terminator. */
  closing(closing: AnswerClosing, untold?: JsonObject): string {
    const { usage, ...notes } = addClosing({}, closing);
    // A client that did not ask for this chunk may not expect one without choices, so it is sent only when it carries
    // sources.
    const fields = this.#includeUsage ? { ...untold, usage, ...notes } : notes;
    if (Object.keys(fields).length === 0) return DONE;
    return `${this.#head}],${JSON.stringify(fields).slice(1)}\n\n${DONE}`;
  }
}
