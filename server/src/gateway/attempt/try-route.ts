/** One route asked once: a place at the provider, the attempt's record, and the word to the router how it went. */
import { GatewayError } from '../../core/errors.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import type { Cancellation } from '../../platform/upstream/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import { AttemptTracker, type WinningAttempt } from './attempt-tracker.ts';

export type AttemptResult<Begun> = { begun: Begun } | { failure: UpstreamFailure; status: number | null };

/** How an endpoint asks one route. Throws GatewayError when the route's protocol cannot carry the request. */
export type AskRoute<Begun> = (target: Target, cancellation: Cancellation) => Promise<AttemptResult<Begun>>;

/** A GatewayError means that this route cannot carry the request; another one may speak a protocol that can. */
export type Tried<Begun> = WinningAttempt<Begun> | { failure: UpstreamFailure } | GatewayError;

/** `code` of the failure of a route that was not even asked, since its provider had no place left. */
export const PROVIDER_FULL = 'provider_full';

export async function tryRoute<Begun>(
  run: Run,
  target: Target,
  ask: AskRoute<Begun>,
  cancellation: Cancellation,
  gw: Gateway,
): Promise<Tried<Begun>> {
  const tracker = new AttemptTracker<Begun>(run, target, gw);
  if (target.model.hedge) tracker.mayLose(cancellation);
  const acquired = gw.router.acquire(target, run.deadlineAtMs);
  const slot = acquired instanceof Promise ? await acquired : acquired;
  if (slot === 'full') {
    const message = 'too many requests run at this provider';
    tracker.skip(message);
    return { failure: { kind: 'rate-limited', code: PROVIDER_FULL, message } };
  }
  tracker.begin(slot);
  let result: AttemptResult<Begun>;
  try {
    result = await ask(target, cancellation);
  } catch (error) {
    if (error instanceof GatewayError) {
      tracker.skip(error.message);
      return error;
    }
    tracker.done('aborted');
    throw error;
  }
  if ('failure' in result) {
    if (!cancellation.cancelled) run.takenBack();
    tracker.status(result.status);
    tracker.done(cancellation.cancelled ? 'aborted' : result.failure);
    return { failure: result.failure };
  }
  return tracker.answered(result.begun);
}
