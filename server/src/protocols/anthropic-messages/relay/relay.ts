/** Both sides speak this protocol: bodies and frames are patched, not translated, so fields unknown to us survive. */
import type { GatewayError } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView, RelayCodec, SseFrame, StreamRelay } from '../../protocol.ts';
import { encodeServiceExtension } from '../../service-extension.ts';
import { writeFrame } from '../../sse.ts';
import { writeEvent } from '../client/block-writer.ts';
import { errorFrame } from '../client/errors.ts';
import { PROTOCOL } from '../own-fields.ts';
import { findError } from '../upstream/decode-failure.ts';
import { encodeUsage, joinRawUsage, openingUsage } from '../usage.ts';
import { patchRequest } from './relay-request.ts';
import { openUnread, unreadInWhole } from './unread-fields.ts';

export const anthropicMessagesRelay: RelayCodec = {
  protocol: PROTOCOL,
  patchRequest,
  patchResponse,
  openRelay: (view) => new MessagesRelay(view),
  openUnread,
  unreadInWhole,
};

function patchResponse(body: JsonObject, view: ClientView, closing: AnswerClosing): JsonObject {
  const svc = encodeServiceExtension(closing);
  return {
    ...body,
    id: view.responseId,
    model: view.model,
    usage: finalUsage(body['usage'], closing),
    ...(svc && { svc }),
  };
}

const INPUT_COUNTERS = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

/** The provider's own report stands; a counter it left out is filled from ours. */
function finalUsage(reported: Json | undefined, closing: AnswerClosing): JsonObject {
  const ours = encodeUsage(closing);
  const usage: JsonObject = isJsonObject(reported) ? { ...reported } : {};
  for (const counter of [...INPUT_COUNTERS, 'output_tokens']) usage[counter] ??= ours[counter];
  return { ...usage, cost: ours['cost'] };
}

class MessagesRelay implements StreamRelay {
  readonly #view: ClientView;
  #started = false;
  #openBlock: Json | undefined;
  /** The terminal frame, held back until the charge is known. */
  #last: JsonObject | undefined;

  constructor(view: ClientView) {
    this.#view = view;
  }

  forward(frame: SseFrame): string {
    const { json, data } = frame;
    // `fail` reports an error in the stream with our own text: the provider's never reaches a client.
    if (!isJsonObject(json) || typeof json['type'] !== 'string' || findError(json)) return '';
    switch (json['type']) {
      case 'message_start':
        return this.#start(json);
      case 'message_delta':
        this.#last = joinDeltas(this.#last, json);
        return '';
      case 'message_stop':
        return '';
      case 'content_block_start':
        this.#openBlock = json['index'];
        break;
      case 'content_block_stop':
        this.#openBlock = undefined;
    }
    return writeFrame(data.includes('\n') ? JSON.stringify(json) : data, json['type']);
  }

  cutShort(): string {
    this.#last = joinDeltas(this.#last, { delta: { stop_reason: 'max_tokens', stop_sequence: null } });
    if (this.#openBlock === undefined) return '';
    return writeEvent({ type: 'content_block_stop', index: this.#openBlock });
  }

  finish(closing: AnswerClosing): string {
    const last: JsonObject = this.#last ?? { delta: { stop_reason: 'end_turn', stop_sequence: null } };
    const svc = encodeServiceExtension(closing);
    const usage = finalUsage(last['usage'], closing);
    const delta = writeEvent({ ...last, type: 'message_delta', usage, ...(svc && { svc }) });
    return delta + writeEvent({ type: 'message_stop' });
  }

  fail(error: GatewayError): string {
    return errorFrame(error, this.#view);
  }

  #start(json: JsonObject): string {
    // A second start means a spliced stream, on which clients break.
    if (this.#started) return '';
    this.#started = true;
    const message = isJsonObject(json['message']) ? json['message'] : {};
    const { responseId: id, model, inputEstimate } = this.#view;
    const usage = repairedUsage(message['usage'], inputEstimate);
    return writeEvent({ ...json, type: 'message_start', message: { ...message, id, model, usage } });
  }
}

function joinDeltas(earlier: JsonObject | undefined, later: JsonObject): JsonObject {
  if (!earlier) return later;
  return {
    ...earlier,
    ...later,
    delta: joinRawUsage(isJsonObject(earlier['delta']) ? earlier['delta'] : undefined, later['delta']),
    usage: joinRawUsage(isJsonObject(earlier['usage']) ? earlier['usage'] : undefined, later['usage']),
  };
}

/** Clients record the first report as the cost: with zeros there they recorded the request as free. */
function repairedUsage(reported: Json | undefined, inputEstimate: number): JsonObject {
  const usage = isJsonObject(reported) ? reported : {};
  const opening = openingUsage(inputEstimate);
  const isEmpty = INPUT_COUNTERS.every((counter) => !usage[counter]);
  return {
    ...opening,
    ...usage,
    ...(isEmpty && { input_tokens: opening['input_tokens'] }),
    output_tokens: usage['output_tokens'] || opening['output_tokens'],
  };
}
