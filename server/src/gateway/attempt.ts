/**
 * Step 9: routes are tried in the plan's order until one really answers. Nothing has gone to the client yet, so a failure
 * is invisible to it. Faults of the client's own end the search: they would fail everywhere.
 */
import { GatewayError } from '../core/errors.ts';
import { isRetryable, type UpstreamFailure } from '../core/failure.ts';
import type { Target } from '../routing/index.ts';
import { errorFor } from './failures.ts';
import type { Gateway } from './gateway.ts';
import { tryHedged } from './hedge.ts';
import type { Run } from './run.ts';
import { type Ask, type Commitment, tryRoute } from './try-route.ts';

export async function attemptRoutes<Opening>(
  run: Run,
  targets: Target[],
  ask: Ask<Opening>,
  gw: Gateway,
): Promise<Commitment<Opening>> {
  let lastFailure: UpstreamFailure | undefined;
  let refusal: GatewayError | undefined;
  const left = [...targets];
  for (let target = left.shift(); target; target = left.shift()) {
    if (run.cancellation.cancelled || gw.clock.monotonicMs() >= run.deadlineAtMs) break;
    const tried = target.model.hedge
      ? await tryHedged(run, target, left, ask, gw)
      : await tryRoute(run, target, ask, run.cancellation, gw);
    if (tried instanceof GatewayError) {
      refusal ??= tried;
      continue;
    }
    if ('done' in tried) {
      run.commit(tried.target);
      return tried;
    }
    lastFailure = tried.failure;
    if (!isRetryable(lastFailure.kind)) throw errorFor(lastFailure, false);
  }
  if (!lastFailure && refusal) throw refusal;
  throw errorFor(lastFailure, gw.clock.monotonicMs() >= run.deadlineAtMs);
}
