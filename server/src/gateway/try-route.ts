/** One route asked once: a place at the provider, the attempt's record, and the word to the router how it went. */
import { GatewayError } from '../core/errors.ts';
import type { UpstreamFailure } from '../core/failure.ts';
import type { Cancellation } from '../platform/upstream/index.ts';
import type { AttemptRecord } from '../requestlog/index.ts';
import type { Target } from '../routing/index.ts';
import type { Gateway } from './gateway.ts';
import type { Run } from './run.ts';

export type AttemptResult<Opening> = { opening: Opening } | { failure: UpstreamFailure; status: number | null };

/** How an endpoint asks one route. Throws GatewayError when the route's language cannot carry the request. */
export type Ask<Opening> = (target: Target, cancellation: Cancellation) => Promise<AttemptResult<Opening>>;

export type AttemptEnd = 'ok' | 'aborted' | 'hedge-lost' | UpstreamFailure;

/** The route that answers, held until its answer has ended. */
export interface Commitment<Opening> {
  opening: Opening;
  target: Target;
  /** Completes the attempt's record and tells the router how it went. */
  done(end: AttemptEnd): void;
}

/** A GatewayError means that this route cannot carry the request; another one may speak a language that can. */
export type Tried<Opening> = Commitment<Opening> | { failure: UpstreamFailure } | GatewayError;

export async function tryRoute<Opening>(
  run: Run,
  target: Target,
  ask: Ask<Opening>,
  cancellation: Cancellation,
  gw: Gateway,
): Promise<Tried<Opening>> {
  const record = openRecord(target, gw);
  run.attempts.push(record);
  const lease = await gw.router.acquire(target, run.deadlineAtMs);
  if (lease === 'full') {
    record.outcome = 'skipped';
    record.cause = 'too many requests run at this provider';
    return { failure: { kind: 'rate-limited', message: record.cause } };
  }
  const startedMs = gw.clock.monotonicMs();
  const done = (end: AttemptEnd) => {
    completeRecord(record, end, Math.round(gw.clock.monotonicMs() - startedMs));
    lease.end(typeof end === 'string' && end !== 'ok' ? 'aborted' : end);
    gw.metrics.attempted(target.route.provider.id, record.outcome);
  };
  let result: AttemptResult<Opening>;
  try {
    result = await ask(target, cancellation);
  } catch (error) {
    done('aborted');
    if (!(error instanceof GatewayError)) throw error;
    record.outcome = 'skipped';
    record.cause = error.message;
    return error;
  }
  if ('failure' in result) {
    record.status = result.status;
    done(cancellation.cancelled ? 'aborted' : result.failure);
    return { failure: result.failure };
  }
  record.status = 200;
  record.firstEventMs = Math.round(gw.clock.monotonicMs() - startedMs);
  lease.answered(record.firstEventMs);
  return { opening: result.opening, target, done };
}

function openRecord(target: Target, gw: Gateway): AttemptRecord {
  return {
    provider: target.route.provider.id,
    route: target.route.id,
    credential: target.credential?.id ?? '',
    outcome: 'running',
    status: null,
    startedAt: gw.clock.now(),
    firstEventMs: null,
    durationMs: 0,
    cause: null,
  };
}

function completeRecord(record: AttemptRecord, end: AttemptEnd, durationMs: number): void {
  record.durationMs = durationMs;
  if (typeof end === 'string') {
    record.outcome = end;
    return;
  }
  record.outcome = end.kind;
  record.status = end.status ?? record.status;
  record.cause = end.message.slice(0, 500);
}
