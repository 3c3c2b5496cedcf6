/**
 * Step 9, one route: the call to its provider and the first look at what came back. Chat, embeddings, speech and transcription
 * all go this way, with one set of bounds. What is an answer is the endpoint's to say (`open`); errors, error pages and broken
 * connections are the same everywhere.
 */
import { GatewayError } from '../../core/errors.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import {
  type Cancellation,
  DIRECT_WAY,
  TransportError,
  type UpstreamBody,
  type UpstreamCall,
  type UpstreamReply,
} from '../../platform/upstream/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import { type AskedOfProvider, providerCall, requestHeaders } from './provider-http.ts';
import type { AttemptResult } from './try-route.ts';

/** Enough of an error page to know what it says. */
const EXCERPT_BYTES = 65_536;

export interface Attempt {
  run: Run;
  target: Target;
  cancellation: Cancellation;
}

export interface ProviderRequest extends AskedOfProvider {
  headers: Record<string, string>;
  body: UpstreamBody;
  /** What had to be left out for this provider; the client is told in `x-svc-warnings`. */
  warnings: readonly string[];
  /** The client's own headers, where its body is handed on. */
  relayHeaders?: Record<string, string> | undefined;
  decodeFailure(status: number, headers: Record<string, string>, text: string): UpstreamFailure;
}

/** Reads an answer of status 2xx as far as it must to know that it is one. */
export type OpenAnswer<Begun> = (reply: UpstreamReply, contentType: string) => MaybePromise<AttemptResult<Begun>>;

export async function callProvider<Begun>(
  attempt: Attempt,
  request: ProviderRequest,
  open: OpenAnswer<Begun>,
  gw: Gateway,
): Promise<AttemptResult<Begun>> {
  const { run, target } = attempt;
  const { provider } = target.route;
  const told = run.call.metadata.warnings;
  for (const warning of request.warnings) if (!told.includes(warning)) told.push(warning);
  let reply: UpstreamReply | undefined;
  try {
    reply = await gw.transportOf(provider).send(upstreamCall(attempt, request, gw));
    if (reply.via !== undefined && reply.via !== DIRECT_WAY) run.wentOut(target, reply.via);
    const contentType = (reply.header('content-type') ?? '').toLowerCase();
    if (reply.status < 200 || reply.status >= 300) return await readFailure(reply, contentType, request);
    const opened = contentType.includes('text/html') ? page(reply) : open(reply, contentType);
    const result = opened instanceof Promise ? await opened : opened;
    if ('failure' in result) reply.abort('attempt failed');
    return result;
  } catch (error) {
    reply?.abort('attempt failed');
    const status = reply?.status ?? null;
    if (error instanceof TransportError) return { failure: error.failure, status };
    if (!reply || error instanceof GatewayError) throw error;
    // An answer odd enough to break a decoder is this provider's; another one's may be sound.
    gw.log.error({ requestId: run.call.id, provider: provider.id, err: error }, 'an answer broke its decoder');
    return { failure: { kind: 'malformed', message: 'the answer could not be read' }, status };
  }
}

function upstreamCall({ run, target, cancellation }: Attempt, request: ProviderRequest, gw: Gateway): UpstreamCall {
  const { provider } = target.route;
  const { firstEventMs, wholeAnswerMs, totalMs } = provider.timeouts;
  const hop = run.call.hop + 1;
  const traceparent = run.traceparents.get(target);
  const headers = requestHeaders(provider, target.credential, request.headers, hop, traceparent, request.relayHeaders);
  const timeoutMs = request.whole ? wholeAnswerMs : firstEventMs;
  const deadlineAtMs = Math.min(run.deadlineAtMs, gw.clock.monotonicMs() + totalMs);
  const call = providerCall(provider, headers, request, timeoutMs, deadlineAtMs);
  call.onSent = () => run.handedOver();
  call.cancellation = cancellation;
  return call;
}

async function readFailure(
  reply: UpstreamReply,
  contentType: string,
  { decodeFailure }: ProviderRequest,
): Promise<{ failure: UpstreamFailure; status: number }> {
  const { status } = reply;
  const failure = decodeFailure(status, reply.headers, await reply.excerpt(EXCERPT_BYTES));
  // An HTML page comes from a proxy in front of the provider, so it says nothing about the client's request.
  const misplaced = failure.kind === 'client-fault' || failure.kind === 'model-gone';
  return {
    failure: misplaced && contentType.includes('text/html') ? { ...failure, kind: 'malformed' } : failure,
    status,
  };
}

function page({ status }: UpstreamReply): { failure: UpstreamFailure; status: number } {
  return { failure: { kind: 'malformed', status, message: 'an HTML page instead of an answer' }, status };
}
