/**
 * One route asked once: its slot at the provider, the attempt's record, and the report of the outcome to the router.
 */
import { GatewayError } from '../../core/errors.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import type { Cancellation } from '../../platform/upstream/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import { AttemptTracker, type WinningAttempt } from './attempt-tracker.ts';
import { callProvider } from './call-provider.ts';
import type { Asker, AttemptResult, Opened } from './question.ts';

/** A GatewayError means that this route cannot carry the request; another one may speak a protocol that can. */
export type Tried<Begun> = WinningAttempt<Begun> | { failure: UpstreamFailure } | GatewayError;

/** `code` of the failure of a route that was not even called, since its provider had no free slot. */
export const PROVIDER_FULL = 'provider_full';

export async function tryRoute<Paid extends { readonly run: Run }, Begun>(
  paid: Paid,
  target: Target,
  asker: Asker<Paid, Begun>,
  cancellation: Cancellation,
  gw: Gateway,
): Promise<Tried<Begun>> {
  const { run } = paid;
  const tracker = new AttemptTracker<Begun>(run, target, gw);
  if (target.model.hedge) tracker.mayLose(cancellation);
  const acquired = gw.router.acquire(target, run.deadlineAtMs, run.likelyInput);
  const slot = acquired instanceof Promise ? await acquired : acquired;
  if (slot === 'full') {
    const message = 'too many requests run at this provider';
    tracker.skip(message);
    return { failure: { kind: 'rate-limited', code: PROVIDER_FULL, message } };
  }
  tracker.begin(slot);
  let result: AttemptResult<Begun>;
  try {
    const asking = asker.question(paid, target, gw);
    const question = asking instanceof Promise ? await asking : asking;
    let opened: Opened<Begun> =
      'failure' in question ? question : await callProvider(run, target, question, cancellation, gw);
    while ('next' in opened) opened = await callProvider(run, target, opened.next, cancellation, gw);
    result = opened;
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
