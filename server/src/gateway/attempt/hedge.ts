/**
 * Hedging, an operator's option per model: when the first route is unusually slow, a second one is started and the
 * first to answer wins. The loser is aborted at the operator's cost; the customer pays once.
 */
import { GatewayError } from '../../core/errors.ts';
import { Cancellation } from '../../platform/upstream/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import { HEDGE_LOST, type WinningAttempt } from './attempt-tracker.ts';
import type { Asker } from './question.ts';
import { type Tried, tryRoute } from './try-route.ts';
import { withTimeout } from './with-timeout.ts';

export async function tryHedged<Paid extends { readonly run: Run }, Begun>(
  paid: Paid,
  target: Target,
  left: Target[],
  asker: Asker<Paid, Begun>,
  gw: Gateway,
): Promise<Tried<Begun>> {
  const { run } = paid;
  const timeoutMs = gw.router.slowAfterMs(target, run.startRecord.stream ? 'stream' : 'whole');
  const first = start(paid, target, asker, gw);
  if (timeoutMs === undefined || left.length === 0) return first.tried;
  const early = await withTimeout(first.tried, timeoutMs);
  if (early !== 'slow') return early;
  const backup = takeUsable(left, gw);
  if (!backup) return first.tried;
  run.plan.push(
    `hedge: ${target.id} gave no event within its p95 of ${Math.round(timeoutMs)} ms, started ${backup.id} beside it`,
  );
  const second = start(paid, backup, asker, gw);
  try {
    return await firstAnswer(first, second);
  } catch (error) {
    // A fault of our own in one of them must not leave the other running.
    for (const { cancellation } of [first, second]) cancellation.cancel(HEDGE_LOST);
    throw error;
  }
}

interface Started<Begun> {
  tried: Promise<Tried<Begun>>;
  cancellation: Cancellation;
}

function start<Paid extends { readonly run: Run }, Begun>(
  paid: Paid,
  target: Target,
  asker: Asker<Paid, Begun>,
  gw: Gateway,
): Started<Begun> {
  const cancellation = new Cancellation();
  paid.run.cancellation.attach((reason) => cancellation.cancel(reason));
  return { tried: tryRoute(paid, target, asker, cancellation, gw), cancellation };
}

/** A second route is started only where an answer can be expected. */
function takeUsable(left: Target[], gw: Gateway): Target | undefined {
  const at = left.findIndex((target) => gw.router.isUsable(target));
  return at < 0 ? undefined : left.splice(at, 1)[0];
}

async function firstAnswer<Begun>(first: Started<Begun>, second: Started<Begun>): Promise<Tried<Begun>> {
  const winner = await Promise.race([first, second].map(async (started) => ({ started, tried: await started.tried })));
  const other = winner.started === first ? second : first;
  if (!answered(winner.tried)) return other.tried;
  other.cancellation.cancel(HEDGE_LOST);
  // It may have answered in the same moment: cancelling has closed its record and its socket, so nobody waits for it.
  other.tried.catch(() => undefined);
  return winner.tried;
}

function answered<Begun>(tried: Tried<Begun>): tried is WinningAttempt<Begun> {
  return !(tried instanceof GatewayError) && 'done' in tried;
}
