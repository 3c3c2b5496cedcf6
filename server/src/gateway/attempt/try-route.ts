/** One route asked once: a place at the provider, the attempt's record, and the word to the router how it went. */
import { GatewayError } from '../../core/errors.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import type { Cancellation } from '../../platform/upstream/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import { AttemptCourse, type Commitment } from './attempt-course.ts';

export type AttemptResult<Begun> = { begun: Begun } | { failure: UpstreamFailure; status: number | null };

/** How an endpoint asks one route. Throws GatewayError when the route's protocol cannot carry the request. */
export type AskRoute<Begun> = (target: Target, cancellation: Cancellation) => Promise<AttemptResult<Begun>>;

/** A GatewayError means that this route cannot carry the request; another one may speak a protocol that can. */
export type Tried<Begun> = Commitment<Begun> | { failure: UpstreamFailure } | GatewayError;

/** `code` of the failure of a route that was not even asked, since its provider had no place left. */
export const PROVIDER_FULL = 'provider_full';

export async function tryRoute<Begun>(
  run: Run,
  target: Target,
  ask: AskRoute<Begun>,
  cancellation: Cancellation,
  gw: Gateway,
): Promise<Tried<Begun>> {
  const course = new AttemptCourse<Begun>(run, target, gw);
  if (target.model.hedge) course.mayLose(cancellation);
  const acquired = gw.router.acquire(target, run.deadlineAtMs, run.likelyInput);
  const place = acquired instanceof Promise ? await acquired : acquired;
  if (place === 'full') {
    const message = 'too many requests run at this provider';
    course.skip(message);
    return { failure: { kind: 'rate-limited', code: PROVIDER_FULL, message } };
  }
  course.begin(place);
  let result: AttemptResult<Begun>;
  try {
    result = await ask(target, cancellation);
  } catch (error) {
    if (error instanceof GatewayError) {
      course.skip(error.message);
      return error;
    }
    course.done('aborted');
    throw error;
  }
  if ('failure' in result) {
    if (!cancellation.cancelled) run.takenBack();
    course.status(result.status);
    course.done(cancellation.cancelled ? 'aborted' : result.failure);
    return { failure: result.failure };
  }
  return course.answered(result.begun);
}
