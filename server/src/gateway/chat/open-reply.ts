/** Step 9, second half: a provider's reply, read until it is an answer or a failure worth another route. */
import type { ChatResponse } from '../../core/chat.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { type MaybePromise, whenResolved } from '../../core/maybe-promise.ts';
import type { UpstreamReply } from '../../platform/upstream/index.ts';
import {
  type CodecTarget,
  EVENT_STREAM_TYPE,
  EventFold,
  isFailure,
  openGuard,
  unfoldResponse,
} from '../../protocols/index.ts';
import type { AttemptResult } from '../attempt/question.ts';
import type { UpstreamProtocol } from '../gateway.ts';
import { amazonBytes } from './amazon-bytes.ts';
import { isEventStream, joinedText, readBeginning, startingWith } from './reply-beginning.ts';
import { type AnswerStream, type ByteSource, type EventBatch, UpstreamStream } from './upstream-stream.ts';

export interface AnsweredWhole {
  kind: 'whole';
  response: ChatResponse;
  /** The provider's own body, when the client speaks its protocol. */
  relayBody: JsonObject | undefined;
  /** Text of the body that the client sees and that is not in `response`; searched only where no usage was reported. */
  unread?: () => string;
}

export type BegunAnswer = AnsweredWhole | { kind: 'stream'; stream: AnswerStream; first: EventBatch; relayed: boolean };

export interface Expected {
  protocol: UpstreamProtocol;
  target: CodecTarget;
  /** The client speaks the provider's protocol, so bodies and frames may be handed on. */
  relayed: boolean;
  /** The client speaks the provider's protocol, so that fields unknown to us reach it. */
  sameProtocol: boolean;
  maxBytes: number;
  /** The stream is read to its end before anything goes out. */
  folded?: boolean;
}

/**
 * Some providers answer a stream request with plain JSON, whole or an error in disguise; others stream whatever was asked,
 * and some of those call their stream JSON.
 */
export function openReply(
  reply: UpstreamReply,
  contentType: string,
  expected: Expected,
): MaybePromise<AttemptResult<BegunAnswer>> {
  const { stream } = expected.target;
  if (stream && contentType.includes('json')) return openByContent(reply, expected);
  if (stream)
    return openStream(reply, expected, contentType.startsWith(EVENT_STREAM_TYPE) ? amazonBytes(reply) : reply);
  if (!stream && contentType.includes('event-stream')) return openFolded(reply, expected);
  return openWhole(reply, expected);
}

/** The content type says JSON; the first bytes of the body decide. */
async function openByContent(reply: UpstreamReply, expected: Expected): Promise<AttemptResult<BegunAnswer>> {
  const beginning = await readBeginning(reply);
  const bytes = startingWith(beginning, reply);
  if (isEventStream(beginning.toString())) return openStream(reply, expected, bytes);
  reply.markFirstEvent();
  const text = await joinedText(bytes, expected.maxBytes);
  if (text !== undefined) return readWhole(text, reply, expected);
  reply.abort('body too large');
  return { failure: malformed(reply, `the body is over ${expected.maxBytes} bytes`), status: reply.status };
}

async function openStream(
  reply: UpstreamReply,
  expected: Expected,
  bytes: ByteSource = reply,
): Promise<AttemptResult<BegunAnswer>> {
  if (expected.folded) return openFolded(reply, expected, bytes);
  const stream = streamOf(bytes, expected);
  const { batch, failure } = await stream.untilFirstEvent();
  if (failure) {
    stream.abort('failed before the first event');
    return { failure, status: reply.status };
  }
  reply.markFirstEvent();
  reply.pace();
  return { begun: { kind: 'stream', stream, first: batch, relayed: expected.relayed } };
}

async function openFolded(
  reply: UpstreamReply,
  expected: Expected,
  bytes: ByteSource = reply,
): Promise<AttemptResult<BegunAnswer>> {
  reply.markFirstEvent();
  const stream = streamOf(bytes, expected);
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

/** Returns at once where the body came with its headers. */
function openWhole(reply: UpstreamReply, expected: Expected): MaybePromise<AttemptResult<BegunAnswer>> {
  // The headers have arrived; from here on only silence times out.
  reply.markFirstEvent();
  return whenResolved(reply.text(expected.maxBytes), (text) => readWhole(text, reply, expected));
}

/** Nobody asked for a stream, and the label says JSON; only a body that is no JSON is looked at twice. */
function openUnparsed(
  text: string,
  reply: UpstreamReply,
  expected: Expected,
): MaybePromise<AttemptResult<BegunAnswer>> {
  if (!expected.target.stream && isEventStream(text)) {
    return openFolded(reply, expected, startingWith(Buffer.from(text), reply));
  }
  return { failure: malformed(reply, 'the body is not a JSON object'), status: reply.status };
}

function readWhole(text: string, reply: UpstreamReply, expected: Expected): MaybePromise<AttemptResult<BegunAnswer>> {
  const { protocol, target, relayed, sameProtocol } = expected;
  const body = parseTrustedJson(text);
  if (!isJsonObject(body)) return openUnparsed(text, reply, expected);
  const response = protocol.upstream.decodeResponse(body, target);
  if (isFailure(response)) return { failure: response, status: reply.status };
  const begun: AnsweredWhole = { kind: 'whole', response, relayBody: relayed ? body : undefined };
  const { relay } = protocol;
  if (relay && sameProtocol) {
    const unread = (): string => relay.unreadInWhole(body);
    begun.unread = unread;
  }
  return { begun };
}

function streamOf(bytes: ByteSource, { protocol, target, sameProtocol }: Expected): UpstreamStream {
  const unread = sameProtocol ? protocol.relay?.openUnread() : undefined;
  return new UpstreamStream(bytes, openGuard(protocol.upstream.openDecoder(target)), unread);
}

function malformed(reply: UpstreamReply, message: string): UpstreamFailure {
  return { kind: 'malformed', status: reply.status, message };
}

/** For a client that wanted a stream from a provider that sent everything at once. */
export function eventsOf(response: ChatResponse): EventBatch {
  return { frames: [], events: unfoldResponse(response), ends: [] };
}
