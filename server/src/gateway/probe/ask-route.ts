/**
 * Probes a route: in its own protocol, with its own credential, outside of the paid path. It uses a slot at the
 * provider like a request, never waits for one, and reports nothing to the router: a probe must open no circuit.
 */
import type { Model, Route } from '../../catalog/index.ts';
import type { ChatRequest, ChatResponse } from '../../core/chat.ts';
import { GatewayError } from '../../core/errors.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import { Cancellation, TransportError } from '../../platform/upstream/index.ts';
import { EventFold, isMessagesCloud, passListed, throughCloud } from '../../protocols/index.ts';
import { type Target, targetsOf } from '../../routing/index.ts';
import { failureOfReading } from '../attempt/failures.ts';
import { providerCall, requestHeaders } from '../attempt/provider-http.ts';
import { codecTargetOf } from '../chat/ask-chat.ts';
import { type BegunAnswer, openReply } from '../chat/open-reply.ts';
import type { Gateway } from '../gateway.ts';

/** Customers wait longer, but a probe that takes more than this has failed. */
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 1_000_000;
const EXCERPT_BYTES = 65_536;

export type RouteAnswer =
  | { kind: 'answered'; response: ChatResponse; pieces: number }
  | { kind: 'failed'; failure: UpstreamFailure }
  /** Customers use what it may carry: nothing was sent. */
  | { kind: 'busy' };

type Asking = Pick<Gateway, 'clock' | 'router' | 'transportOf' | 'upstreamProtocols'>;

export async function askRoute(model: Model, route: Route, request: ChatRequest, gw: Asking): Promise<RouteAnswer> {
  const target = targetsOf(model).find((one) => one.route === route && gw.router.isUsable(one));
  if (!target) return { kind: 'busy' };
  const slot = await gw.router.acquire(target, gw.clock.monotonicMs());
  if (slot === 'full') return { kind: 'busy' };
  try {
    return await send(target, request, gw);
  } catch (error) {
    if (error instanceof TransportError) return { kind: 'failed', failure: error.failure };
    // The route's protocol cannot carry the request at all.
    if (error instanceof GatewayError)
      return { kind: 'failed', failure: { kind: 'client-fault', message: error.message } };
    throw error;
  } finally {
    slot.end('aborted');
  }
}

async function send(target: Target, request: ChatRequest, gw: Asking): Promise<RouteAnswer> {
  const { provider } = target.route;
  const protocol = gw.upstreamProtocols[provider.protocol];
  const codecTarget = codecTargetOf(target, request.stream, request.maxOutputTokens);
  const { path, headers, body, warnings } = await protocol.upstream.encodeRequest(request, codecTarget);
  const passed = passListed(provider.protocol, body, codecTarget.quirks, warnings);
  const inCloud = isMessagesCloud(provider.protocol, codecTarget)
    ? throughCloud(passed, undefined, codecTarget, warnings)
    : { path, headers, body: passed };
  const sent = JSON.stringify(inCloud.body);
  const call = providerCall(
    provider,
    target.credential,
    requestHeaders(provider, target.credential, inCloud.headers, 1, undefined),
    { path: inCloud.path, body: sent, whole: !request.stream },
    TIMEOUT_MS,
    gw.clock.monotonicMs() + TIMEOUT_MS,
  );
  call.cancellation = new Cancellation();
  const reply = await gw.transportOf(provider).send(call);
  if (reply.status < 200 || reply.status >= 300) {
    const text = await reply.excerpt(EXCERPT_BYTES);
    return { kind: 'failed', failure: protocol.upstream.decodeFailure(reply.status, reply.headers, text) };
  }
  const contentType = (reply.header('content-type') ?? '').toLowerCase();
  const expected = { protocol, target: codecTarget, relayed: false, sameProtocol: false, maxBytes: MAX_BYTES };
  const opened = await openReply(reply, contentType, expected);
  if ('begun' in opened) return readAll(opened.begun);
  reply.abort('probe failed');
  return { kind: 'failed', failure: opened.failure };
}

async function readAll(begun: BegunAnswer): Promise<RouteAnswer> {
  if (begun.kind === 'whole') return { kind: 'answered', response: begun.response, pieces: 1 };
  const fold = new EventFold();
  let pieces = 0;
  let size = 0;
  try {
    for (let batch: typeof begun.first | null = begun.first; batch; batch = await begun.stream.next()) {
      for (const event of batch.events) {
        if (event.type === 'unread-text') continue;
        if (event.type === 'part-delta' && event.text !== '') {
          pieces++;
          size += event.text.length;
        }
        fold.push(event);
      }
      if (fold.failure && !fold.complete) return { kind: 'failed', failure: fold.failure };
      if (size > MAX_BYTES) {
        begun.stream.abort('too large');
        return { kind: 'failed', failure: { kind: 'malformed', message: 'the answer is too large' } };
      }
    }
  } catch (error) {
    return { kind: 'failed', failure: failureOfReading(error) };
  }
  return { kind: 'answered', response: fold.response(), pieces };
}
