/** From the script's numbers to the results of the port. The counters that were used are leased from now on. */
import { type Money, money } from '../../core/money.ts';
import type { Demand, TakeRequest, TakeResult, WindowDemand, WindowState } from '../admission.ts';
import { FewWindowStates } from '../few-window-states.ts';
import type { Leases } from './leases.ts';
import type { OwnCounts } from './own-counts.ts';
import type { TakeAnswer } from './packing.ts';
import { RedisHold } from './redis-hold.ts';

type Taken = Extract<TakeAnswer, { kind: 'taken' }>;
type Refused = Extract<TakeAnswer, { kind: 'refused' }>;

export function grantedResult(request: TakeRequest, answer: Taken, own: OwnCounts, leases: Leases): TakeResult {
  const hold = new RedisHold(request.requestId, micro(answer.grant));
  const windows: [string, WindowState][] = [];
  request.demands.forEach((demand, i) => {
    const [first, second] = [answer.counts[2 * i] as number, answer.counts[2 * i + 1] as number];
    if (demand.kind === 'window') {
      const window = own.window(demand, answer.now);
      hold.addWindow(window, demand.amount, answer.now, demand.name === 'key-tokens');
      window.seenAt = answer.now;
      leases.usedWindow(window, demand);
      windows.push([demand.id, windowState(demand, first, second)]);
    } else {
      const budget = own.budget(demand.id, answer.now);
      hold.addBudget(budget);
      budget.left = first - answer.grant;
      leases.usedBudget(budget, demand.limit, request.money.least);
    }
  });
  return { ok: true, hold, windows: new FewWindowStates(windows) };
}

export function refusedResult(request: TakeRequest, answer: Refused): Extract<TakeResult, { ok: false }> {
  const windows: [string, WindowState][] = [];
  request.demands.forEach((demand, i) => {
    if (demand.kind !== 'window') return;
    const [used, resetMs] = [answer.counts[2 * i] as number, answer.counts[2 * i + 1] as number];
    windows.push([demand.id, windowState(demand, used, resetMs)]);
  });
  const failed = request.demands[answer.demand] as Demand;
  const isWindow = failed.kind === 'window';
  return {
    ok: false,
    failed,
    retryAfterMs: isWindow ? answer.detail : undefined,
    available: isWindow ? undefined : micro(answer.detail),
    windows: new FewWindowStates(windows),
  };
}

export function windowState(demand: WindowDemand, used: number, resetMs: number): WindowState {
  return { limit: demand.limit, remaining: Math.max(0, demand.limit - used), resetMs };
}

function micro(value: number): Money {
  return money(BigInt(value));
}
