/**
 * Step 9: routes are tried in the plan's order until one really answers. Nothing has gone to the client yet, so a
 * failure is invisible to it. A fault of the client ends the search, because it would fail on every route.
 */
import { GatewayError } from '../../core/errors.ts';
import { isRetryable, type UpstreamFailure } from '../../core/failure.ts';
import type { Target } from '../../routing/index.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import { endedByBlock } from '../settle/running.ts';
import type { WinningAttempt } from './attempt-tracker.ts';
import { errorFor } from './failures.ts';
import { tryHedged } from './hedge.ts';
import type { Asker } from './question.ts';
import { PROVIDER_FULL, tryRoute } from './try-route.ts';

/** `left`: the plan's targets that were not tried yet. */
export async function attemptRoutes<Paid extends { readonly run: Run }, Begun>(
  paid: Paid,
  left: Target[],
  asker: Asker<Paid, Begun>,
  gw: Gateway,
): Promise<WinningAttempt<Begun>> {
  const { run } = paid;
  let failures: UpstreamFailure[] | undefined;
  let refusal: GatewayError | undefined;
  let ownKeyRefused = false;
  for (let target = nextOf(left, gw); target; target = nextOf(left, gw)) {
    if (run.cancellation.cancelled || gw.clock.monotonicMs() >= run.deadlineAtMs) break;
    const tried = target.model.hedge
      ? await tryHedged(paid, target, left, asker, gw)
      : await tryRoute(paid, target, asker, run.cancellation, gw);
    if (tried instanceof GatewayError) {
      refusal ??= tried;
      continue;
    }
    if ('done' in tried) {
      run.commit(tried.target);
      return tried;
    }
    failures ??= [];
    failures.push(tried.failure);
    ownKeyRefused = target.route.own !== undefined && tried.failure.kind === 'credential';
    if (!isRetryable(tried.failure.kind)) throw errorFor(tried.failure, false);
  }
  if (ownKeyRefused) throw new GatewayError('own_key_refused', { cause: failures?.at(-1) });
  throw errorOf(run, failures ?? [], refusal, gw);
}

/**
 * Since the plan was made, other requests may have opened a circuit or begun its probe: such a target is tried last.
 */
function nextOf(left: Target[], gw: Gateway): Target | undefined {
  if (left.length <= 1) return left.pop();
  const at = left.findIndex((target) => gw.router.isUsable(target));
  return left.splice(Math.max(0, at), 1)[0];
}

function errorOf(run: Run, failures: UpstreamFailure[], refusal: GatewayError | undefined, gw: Gateway): GatewayError {
  const blocked = endedByBlock(run);
  if (blocked) return blocked;
  if (failures.length === 0 && refusal) return refusal;
  const stopping = run.cancellation.cancelled && !run.call.client.gone;
  const full = failures.length > 0 && failures.every(({ code }) => code === PROVIDER_FULL);
  // No provider failed: all are busy, or we are, and that passes.
  if (stopping || full) return new GatewayError('overloaded', { retryAfterMs: 1_000, cause: failures.at(-1) });
  return errorFor(failures.at(-1), gw.clock.monotonicMs() >= run.deadlineAtMs, soonestRetryMs(failures));
}

/** The wait that clients are advised where a provider names none. */
const RATE_LIMIT_MS = 1_000;

/** When the first route accepts requests again; undefined unless every route is rate limited. */
function soonestRetryMs(failures: readonly UpstreamFailure[]): number | undefined {
  if (failures.length === 0 || failures.some(({ kind }) => kind !== 'rate-limited')) return undefined;
  return Math.min(...failures.map(({ retryAfterMs }) => retryAfterMs ?? RATE_LIMIT_MS));
}
