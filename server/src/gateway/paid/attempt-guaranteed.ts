/**
 * Step 9 for a guaranteed answer (ADR 0069). Nothing of it has gone out: an invalid one is asked once more, of another
 * route and within the hold, and the operator bears the cost of the first. Where that does not help, the answer goes
 * out as it is, and is free.
 */
import { GatewayError } from '../../core/errors.ts';
import { costOf } from '../../core/price.ts';
import type { Usage } from '../../core/usage.ts';
import type { Target } from '../../routing/index.ts';
import { attemptRoutes } from '../attempt/attempt-routes.ts';
import { type WinningAttempt, withBegun } from '../attempt/attempt-tracker.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import type { Asked, JudgedAnswer, PaidEndpoint, PaidRequest } from './paid-endpoint.ts';

export async function attemptGuaranteed<Source, A extends Asked, Begun, Result>(
  paid: PaidRequest<A>,
  left: Target[],
  endpoint: PaidEndpoint<Source, A, Begun, Result>,
  gw: Gateway,
): Promise<WinningAttempt<Begun>> {
  const first = await attemptRoutes(paid, left, endpoint, gw);
  const { run } = paid;
  const { judge } = endpoint;
  if (!judge) return first;
  const judgement = await judge(paid, first, gw);
  if (judgement.told.state !== 'broken') return withAnswer(first, judgement, run);
  const others = othersFor(run, first.target, left, judgement.usage(), gw);
  const mayAsk = others.length > 0 && (await mayAskAgain(run, first.target, judgement.usage(), gw));
  const second = mayAsk ? await askAgain(paid, others, endpoint, gw) : undefined;
  if (!second) {
    run.commit(first.target);
    return withAnswer(first, judgement, run);
  }
  first.broke(judgement.told.fault ?? 'broken', judgement.usage());
  const again = await judge(paid, second, gw);
  if (again.told.state === 'kept') again.told.state = 'asked_again';
  return withAnswer(second, again, run);
}

/** No second answer for a client that has left, and none that costs more than is held. */
function othersFor(run: Run, { route }: Target, left: readonly Target[], usage: Usage, gw: Gateway): Target[] {
  if (run.call.client.gone || run.cancellation.cancelled || gw.clock.monotonicMs() >= run.deadlineAtMs) return [];
  return left.filter((target) => target.route.id !== route.id && costOf(target.model.price, usage) <= run.money.amount);
}

/** The operator bears the first answer, within what an account may make it bear in a day. */
async function mayAskAgain(run: Run, { model }: Target, usage: Usage, gw: Gateway): Promise<boolean> {
  const { call, key } = run;
  try {
    return await gw.secondAsks.take(call.id, key.account.id, costOf(model.price, usage));
  } catch (error) {
    gw.log.warn({ err: error, requestId: call.id }, 'a broken answer was not asked again');
    return false;
  }
}

/** Returns undefined when no other route answers: the first answer is still there. */
async function askAgain<Source, A extends Asked, Begun, Result>(
  paid: PaidRequest<A>,
  others: Target[],
  endpoint: PaidEndpoint<Source, A, Begun, Result>,
  gw: Gateway,
): Promise<WinningAttempt<Begun> | undefined> {
  try {
    return await attemptRoutes(paid, others, endpoint, gw);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return undefined;
  }
}

function withAnswer<Begun>(
  winner: WinningAttempt<Begun>,
  { begun, told }: JudgedAnswer<Begun>,
  run: Run,
): WinningAttempt<Begun> {
  run.guarantee = told;
  return withBegun(winner, begun);
}
