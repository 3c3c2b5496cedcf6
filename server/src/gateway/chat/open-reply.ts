/** Step 9, the second half: what a provider sent back, read until it is an answer or a failure worth another route. */
import type { ChatResponse } from '../../core/chat.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { type Soon, whenThere } from '../../core/soon.ts';
import type { UpstreamReply } from '../../platform/upstream/index.ts';
import { type CodecTarget, EventFold, isFailure, openGuard, unfoldResponse } from '../../protocols/index.ts';
import type { AttemptResult } from '../attempt/try-route.ts';
import type { UpstreamProtocol } from '../gateway.ts';
import { type EventBatch, UpstreamStream } from './upstream-stream.ts';

export interface AnsweredWhole {
  kind: 'whole';
  response: ChatResponse;
  /** The provider's own body, when the client speaks its protocol. */
  relayBody: JsonObject | undefined;
  /** Text in it that goes to the client and that is not in `response`; looked for only where nobody reported usage. */
  unread?: () => string;
}

export type BegunAnswer =
  | AnsweredWhole
  | { kind: 'stream'; stream: UpstreamStream; first: EventBatch; relayed: boolean };

export interface Expected {
  protocol: UpstreamProtocol;
  target: CodecTarget;
  /** The client speaks the provider's protocol, so bodies and frames may be handed on. */
  relayed: boolean;
  /** The client speaks the provider's protocol, so that fields which nobody here knows reach it. */
  sameProtocol: boolean;
  maxBytes: number;
}

/** Some providers answer a stream request with plain JSON, whole or an error in disguise; others stream whatever was asked. */
export function openReply(
  reply: UpstreamReply,
  contentType: string,
  expected: Expected,
): Soon<AttemptResult<BegunAnswer>> {
  const { stream } = expected.target;
  if (stream && !contentType.includes('json')) return openStream(reply, expected);
  if (!stream && contentType.includes('event-stream')) return openFolded(reply, expected);
  return openWhole(reply, expected);
}

async function openStream(reply: UpstreamReply, expected: Expected): Promise<AttemptResult<BegunAnswer>> {
  const stream = streamOf(reply, expected);
  const { batch, failure } = await stream.untilFirstEvent();
  if (failure) {
    stream.abort('failed before the first event');
    return { failure, status: reply.status };
  }
  reply.markFirstEvent();
  return { begun: { kind: 'stream', stream, first: batch, relayed: expected.relayed } };
}

async function openFolded(reply: UpstreamReply, expected: Expected): Promise<AttemptResult<BegunAnswer>> {
  reply.markFirstEvent();
  const stream = streamOf(reply, expected);
  const fold = new EventFold();
  let size = 0;
  for (let batch = await stream.next(); batch; batch = await stream.next()) {
    for (const { data } of batch.frames) size += data.length;
    for (const event of batch.events) if (event.type !== 'unread-text') fold.push(event);
    if (fold.failure && !fold.complete) {
      stream.abort('failed');
      return { failure: fold.failure, status: reply.status };
    }
    if (size > expected.maxBytes) {
      stream.abort('too large');
      return { failure: malformed(reply, `the stream is over ${expected.maxBytes} bytes`), status: reply.status };
    }
  }
  return { begun: { kind: 'whole', response: fold.response(), relayBody: undefined } };
}

/** At once where the body came with its head. */
function openWhole(reply: UpstreamReply, expected: Expected): Soon<AttemptResult<BegunAnswer>> {
  // The status line was the first event; from here on only silence counts.
  reply.markFirstEvent();
  return whenThere(reply.text(expected.maxBytes), (text) => readWhole(text, reply, expected));
}

function readWhole(
  text: string,
  reply: UpstreamReply,
  { protocol, target, relayed, sameProtocol }: Expected,
): AttemptResult<BegunAnswer> {
  const body = parseTrustedJson(text);
  if (!isJsonObject(body)) return { failure: malformed(reply, 'the body is not a JSON object'), status: reply.status };
  const response = protocol.upstream.decodeResponse(body, target);
  if (isFailure(response)) return { failure: response, status: reply.status };
  const begun: AnsweredWhole = { kind: 'whole', response, relayBody: relayed ? body : undefined };
  const { relay } = protocol;
  if (relay && sameProtocol) begun.unread = () => relay.unreadInWhole(body);
  return { begun };
}

function streamOf(reply: UpstreamReply, { protocol, target, sameProtocol }: Expected): UpstreamStream {
  const unread = sameProtocol ? protocol.relay?.openUnread() : undefined;
  return new UpstreamStream(reply, openGuard(protocol.upstream.openDecoder(target)), unread);
}

function malformed(reply: UpstreamReply, message: string): UpstreamFailure {
  return { kind: 'malformed', status: reply.status, message };
}

/** For a client that wanted a stream from a provider that sent everything at once. */
export function eventsOf(response: ChatResponse): EventBatch {
  return { frames: [], events: unfoldResponse(response), ends: [] };
}
