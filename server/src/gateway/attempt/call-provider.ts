/**
 * Step 9, one route: the call to its provider and the first look at the reply. Every endpoint uses it, with one set of
 * bounds. The endpoint decides what is an answer (`Question.open`); errors, error pages and broken connections are the
 * same everywhere.
 */
import { GatewayError } from '../../core/errors.ts';
import {
  type Cancellation,
  DIRECT_WAY,
  TransportError,
  type UpstreamCall,
  type UpstreamReply,
} from '../../platform/upstream/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import { providerCall, requestHeaders } from './provider-http.ts';
import type { Failed, Opened, Question } from './question.ts';

/** Enough of an error page to know what it says. */
const EXCERPT_BYTES = 65_536;

export async function callProvider<Begun>(
  run: Run,
  target: Target,
  question: Question<Begun>,
  cancellation: Cancellation,
  gw: Gateway,
): Promise<Opened<Begun>> {
  const { provider } = target.route;
  const warnings = run.call.metadata.warnings;
  for (const warning of question.warnings) if (!warnings.includes(warning)) warnings.push(warning);
  let reply: UpstreamReply | undefined;
  try {
    reply = await gw.transportOf(provider).send(upstreamCall(run, target, question, cancellation, gw));
    if (reply.via !== undefined && reply.via !== DIRECT_WAY) run.wentOut(target, reply.via);
    const contentType = (reply.header('content-type') ?? '').toLowerCase();
    if (reply.status < 200 || reply.status >= 300) return await readFailure(reply, contentType, question);
    const opened = contentType.includes('text/html') ? page(reply) : question.open(reply, contentType);
    const result = opened instanceof Promise ? await opened : opened;
    if ('failure' in result) reply.abort('attempt failed');
    return result;
  } catch (error) {
    reply?.abort('attempt failed');
    const status = reply?.status ?? null;
    if (error instanceof TransportError) return { failure: error.failure, status };
    if (!reply || error instanceof GatewayError) throw error;
    // A reply that breaks a decoder is this provider's fault; another route may answer well.
    gw.log.error({ requestId: run.call.id, provider: provider.id, err: error }, 'an answer broke its decoder');
    return { failure: { kind: 'malformed', message: 'the answer could not be read' }, status };
  }
}

function upstreamCall(
  run: Run,
  target: Target,
  question: Question<unknown>,
  cancellation: Cancellation,
  gw: Gateway,
): UpstreamCall {
  const { provider } = target.route;
  const { firstEventMs, wholeAnswerMs, totalMs } = provider.timeouts;
  const hop = run.call.hop + 1;
  const traceparent = run.traceparents.get(target);
  const headers = requestHeaders(
    provider,
    target.credential,
    question.headers,
    hop,
    traceparent,
    question.relayHeaders,
  );
  const timeoutMs = question.whole ? wholeAnswerMs : firstEventMs;
  const deadlineAtMs = Math.min(run.deadlineAtMs, gw.clock.monotonicMs() + totalMs);
  const call = providerCall(provider, target.credential, headers, question, timeoutMs, deadlineAtMs);
  const onSent = (): void => run.handedOver(target);
  call.onSent = onSent;
  call.cancellation = cancellation;
  run.sending?.(target, call);
  return call;
}

async function readFailure(
  reply: UpstreamReply,
  contentType: string,
  { decodeFailure }: Question<unknown>,
): Promise<Failed> {
  const { status } = reply;
  const failure = decodeFailure(status, reply.headers, await reply.excerpt(EXCERPT_BYTES));
  // An HTML page comes from a proxy in front of the provider, so it says nothing about the client's request.
  const misplaced = failure.kind === 'client-fault' || failure.kind === 'model-gone';
  return {
    failure: misplaced && contentType.includes('text/html') ? { ...failure, kind: 'malformed' } : failure,
    status,
  };
}

function page({ status }: UpstreamReply): Failed {
  return { failure: { kind: 'malformed', status, message: 'an HTML page instead of an answer' }, status };
}
