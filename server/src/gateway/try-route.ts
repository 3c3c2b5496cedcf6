/** One route asked once: a place at the provider, the attempt's record, and the word to the router how it went. */
import { GatewayError } from '../core/errors.ts';
import type { UpstreamFailure } from '../core/failure.ts';
import type { Cancellation } from '../platform/upstream/index.ts';
import type { Target } from '../routing/index.ts';
import { AttemptCourse, type AttemptEnd } from './attempt-course.ts';
import type { Gateway } from './gateway.ts';
import type { Run } from './run.ts';

export type AttemptResult<Opening> = { opening: Opening } | { failure: UpstreamFailure; status: number | null };

/** How an endpoint asks one route. Throws GatewayError when the route's language cannot carry the request. */
export type Ask<Opening> = (target: Target, cancellation: Cancellation) => Promise<AttemptResult<Opening>>;

/** The route that answers, held until its answer has ended. */
export interface Commitment<Opening> {
  opening: Opening;
  target: Target;
  /** Completes the attempt's record and tells the router how it went. */
  done(end: AttemptEnd): void;
}

/** A GatewayError means that this route cannot carry the request; another one may speak a language that can. */
export type Tried<Opening> = Commitment<Opening> | { failure: UpstreamFailure } | GatewayError;

/** Why a second route that was started beside this one is stopped (hedge.ts). */
export const HEDGE_LOST = 'hedge lost';

/** `code` of the failure of a route that was not even asked, since its provider had no place left. */
export const PROVIDER_FULL = 'provider_full';

export async function tryRoute<Opening>(
  run: Run,
  target: Target,
  ask: Ask<Opening>,
  cancellation: Cancellation,
  gw: Gateway,
): Promise<Tried<Opening>> {
  const course = new AttemptCourse(run, target, gw);
  // Recorded in the moment it is decided: the winner may be settled before the loser's socket has closed.
  const onCancel = (reason: string) => {
    if (reason === HEDGE_LOST) course.end('hedge-lost');
  };
  cancellation.attach(onCancel);
  const acquired = gw.router.acquire(target, run.deadlineAtMs);
  const lease = acquired instanceof Promise ? await acquired : acquired;
  if (lease === 'full') {
    const message = 'too many requests run at this provider';
    course.skip(message);
    return { failure: { kind: 'rate-limited', code: PROVIDER_FULL, message } };
  }
  course.begin(lease);
  let result: AttemptResult<Opening>;
  try {
    result = await ask(target, cancellation);
  } catch (error) {
    if (error instanceof GatewayError) {
      course.skip(error.message);
      return error;
    }
    course.end('aborted');
    throw error;
  }
  if ('failure' in result) {
    course.status(result.status);
    course.end(cancellation.cancelled ? 'aborted' : result.failure);
    return { failure: result.failure };
  }
  course.answered();
  return {
    opening: result.opening,
    target,
    done(end) {
      cancellation.detach(onCancel);
      course.end(end);
    },
  };
}
