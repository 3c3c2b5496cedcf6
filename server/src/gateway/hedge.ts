/**
 * Hedging, an operator's option per model: when the first route is slower than it nearly always is, a second one is started
 * and the first to answer wins. The loser is aborted; what it cost is the operator's, the customer pays once.
 */
import { GatewayError } from '../core/errors.ts';
import { Cancellation } from '../platform/upstream/index.ts';
import type { Target } from '../routing/index.ts';
import type { Gateway } from './gateway.ts';
import type { Run } from './run.ts';
import { type Ask, type Commitment, type Tried, tryRoute } from './try-route.ts';

export async function tryHedged<Opening>(
  run: Run,
  target: Target,
  left: Target[],
  ask: Ask<Opening>,
  gw: Gateway,
): Promise<Tried<Opening>> {
  const patienceMs = gw.router.slowAfterMs(target);
  const first = start(run, target, ask, gw);
  if (patienceMs === undefined || left.length === 0) return first.tried;
  const early = await Promise.race([first.tried, pause(patienceMs)]);
  if (early !== 'slow') return early;
  const backup = left.shift();
  if (!backup) return first.tried;
  run.plan.push(
    `hedge: ${target.id} gave no event within its p95 of ${Math.round(patienceMs)} ms, started ${backup.id} beside it`,
  );
  const second = start(run, backup, ask, gw);
  return firstAnswer(first, second);
}

interface Started<Opening> {
  tried: Promise<Tried<Opening>>;
  cancellation: Cancellation;
}

function start<Opening>(run: Run, target: Target, ask: Ask<Opening>, gw: Gateway): Started<Opening> {
  const cancellation = new Cancellation();
  run.cancellation.attach((reason) => cancellation.cancel(reason));
  return { tried: tryRoute(run, target, ask, cancellation, gw), cancellation };
}

async function firstAnswer<Opening>(first: Started<Opening>, second: Started<Opening>): Promise<Tried<Opening>> {
  const winner = await Promise.race([first, second].map(async (started) => ({ started, tried: await started.tried })));
  const other = winner.started === first ? second : first;
  if (!answered(winner.tried)) return other.tried;
  other.cancellation.cancel('hedge lost');
  // The loser may have answered in the same moment: its answer is thrown away, not left open.
  other.tried.then(
    (tried) => answered(tried) && tried.done('hedge-lost'),
    () => undefined,
  );
  return winner.tried;
}

function answered<Opening>(tried: Tried<Opening>): tried is Commitment<Opening> {
  return !(tried instanceof GatewayError) && 'done' in tried;
}

function pause(ms: number): Promise<'slow'> {
  return new Promise((resolve) => setTimeout(() => resolve('slow'), ms).unref());
}
