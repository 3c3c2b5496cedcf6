/** Both sides speak this protocol: bodies and frames are patched, not translated, so fields unknown to us survive. */
import type { GatewayError } from '../../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView, SseFrame, StreamRelay } from '../../protocol.ts';
import { failedResponse, writeFailed } from '../client/errors.ts';
import { EventWriter } from '../client/event-writer.ts';
import { closingFields, requestEcho, responseObject } from '../client/response-object.ts';
import { RelayedItems } from './relayed-items.ts';

/** What the provider says about our account, or repeats of the body that we patched. */
const HIDDEN_FIELDS = ['billing', 'user', 'conversation'];
/** Where our own request to the provider differs from the client's to us. */
const ECHOED_FIELDS = [
  'instructions',
  'store',
  'previous_response_id',
  'conversation',
  'background',
  'max_output_tokens',
  'metadata',
  'safety_identifier',
];

export function patchResponse(body: JsonObject, view: ClientView, closing: AnswerClosing): JsonObject {
  return { ...patchObject(body, view), ...closingFields(closing) };
}

function patchObject(response: JsonObject, view: ClientView): JsonObject {
  const echo = requestEcho(view.request);
  const patched: JsonObject = { completed_at: null, ...echo, ...response };
  for (const field of [...HIDDEN_FIELDS, ...ECHOED_FIELDS]) {
    if (echo[field] === undefined) delete patched[field];
    else patched[field] = echo[field];
  }
  return { ...patched, id: view.responseId, object: 'response', created_at: view.created, model: view.model };
}

export class ResponsesStreamRelay implements StreamRelay {
  readonly #view: ClientView;
  readonly #write = new EventWriter();
  readonly #items = new RelayedItems();
  #started = false;
  /** The terminal event, held back until the charge is known. */
  #last: { type: string; response: JsonObject } | undefined;

  constructor(view: ClientView) {
    this.#view = view;
  }

  forward({ json, data }: SseFrame): string {
    if (!isJsonObject(json) || typeof json['type'] !== 'string') return '';
    const { type, response } = json;
    switch (type) {
      case 'error':
      case 'response.failed':
      case 'response.cancelled':
        // `fail` reports it with our own text: the provider's never reaches a client.
        return '';
      case 'response.completed':
      case 'response.incomplete':
        if (isJsonObject(response)) this.#last = { type, response };
        return '';
      case 'response.created':
        // A second start means a spliced stream, on which clients break.
        if (this.#started) return '';
        this.#started = true;
    }
    this.#items.see(type, json);
    if (!isJsonObject(response)) return this.#opened() + this.#write.relay(type, json, data);
    return this.#opened() + this.#write.write(type, { ...json, response: this.#inProgress(response) });
  }

  cutShort(): string {
    const frames = this.#items.close(this.#write);
    this.#last = {
      type: 'response.incomplete',
      response: {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: this.#items.output,
      },
    };
    return frames;
  }

  finish(closing: AnswerClosing): string {
    const { type, response } = this.#last ?? {
      type: 'response.completed',
      response: { status: 'completed', output: [] },
    };
    return this.#opened() + this.#write.write(type, { response: patchResponse(response, this.#view, closing) });
  }

  fail(error: GatewayError): string {
    return this.#opened() + writeFailed(this.#write, failedResponse(error, this.#view, []));
  }

  #inProgress(response: JsonObject): JsonObject {
    return { ...patchObject(response, this.#view), usage: null };
  }

  /** Some providers begin with the first item, but clients wait for the start event. */
  #opened(): string {
    if (this.#started) return '';
    this.#started = true;
    const response = responseObject(this.#view, { status: 'in_progress', output: [] });
    return this.#write.write('response.created', { response });
  }
}
