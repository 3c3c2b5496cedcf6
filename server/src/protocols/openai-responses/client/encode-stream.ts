/** Canonical events → the exact event sequence of this protocol. */
import type { Finish } from '../../../core/chat.ts';
import type { GatewayError } from '../../../core/errors.ts';
import type { ChatEvent } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView, StreamEncoder } from '../../protocol.ts';
import { incompleteReason } from '../finish.ts';
import { AnswerItems } from './answer-items.ts';
import { failedResponse, writeFailed } from './errors.ts';
import { EventWriter } from './event-writer.ts';
import { responseObject } from './response-object.ts';

export class ResponsesStreamEncoder implements StreamEncoder {
  readonly #view: ClientView;
  readonly #write = new EventWriter();
  readonly #items: AnswerItems;
  #started = false;
  #finish: Finish = { kind: 'stop' };
  #serviceTier: string | undefined;
  /** Parts of a second choice, which this protocol does not have. */
  readonly #ignored = new Set<number>();

  constructor(view: ClientView) {
    this.#view = view;
    this.#items = new AnswerItems(view, this.#write);
  }

  encode(event: ChatEvent): string {
    switch (event.type) {
      case 'response-start':
        return this.#opened();
      case 'part-start':
        if (event.choice > 0) {
          this.#ignored.add(event.part);
          return '';
        }
        return this.#opened() + this.#items.start(event);
      case 'part-delta':
        return this.#ignored.has(event.part) ? '' : this.#items.delta(event);
      case 'part-end':
        return this.#ignored.has(event.part) ? '' : this.#items.end(event);
      case 'response-end':
        this.#finish = event.finishes[0] ?? this.#finish;
        this.#serviceTier = event.serviceTier;
        return this.#opened() + this.#items.closeMessage(this.#incomplete() ? 'incomplete' : 'completed');
      case 'usage-update':
      case 'failure':
        // Usage waits for `finish`, where its cost is known; the gateway turns a failure into `fail`.
        return '';
    }
  }

  finish(closing: AnswerClosing): string {
    const response = this.response(closing);
    return this.#opened() + this.#write.write(`response.${String(response['status'])}`, { response });
  }

  fail(error: GatewayError): string {
    const response = failedResponse(error, this.#view, this.#items.output);
    return this.#opened() + writeFailed(this.#write, response);
  }

  /** The whole answer, as its last event holds it. */
  response(closing: AnswerClosing): JsonObject {
    const reason = this.#incomplete();
    return responseObject(this.#view, {
      status: reason === undefined ? 'completed' : 'incomplete',
      output: this.#items.output,
      closing,
      ...(reason !== undefined && { incompleteReason: reason }),
      ...(this.#serviceTier !== undefined && { serviceTier: this.#serviceTier }),
    });
  }

  #incomplete(): string | undefined {
    return incompleteReason(this.#finish.kind);
  }

  #opened(): string {
    if (this.#started) return '';
    this.#started = true;
    const response = responseObject(this.#view, { status: 'in_progress', output: [] });
    return (
      this.#write.write('response.created', { response }) + this.#write.write('response.in_progress', { response })
    );
  }
}
