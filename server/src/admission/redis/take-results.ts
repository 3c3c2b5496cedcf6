/** From the script's numbers to the port's results; what was seen on the way is remembered for an outage. */
import { type Money, money } from '../../core/money.ts';
import type { Claim, TakeRequest, TakeResult, WindowClaim, WindowState } from '../admission.ts';
import { FewWindowStates } from '../few-window-states.ts';
import { UNBOUNDED } from '../local-counters.ts';
import type { OwnCounts } from './own-counts.ts';
import type { TakeAnswer } from './packing.ts';
import { RedisHold } from './redis-hold.ts';

type Taken = Extract<TakeAnswer, { kind: 'taken' }>;
type Refused = Extract<TakeAnswer, { kind: 'refused' }>;

export function grantedResult(request: TakeRequest, answer: Taken, own: OwnCounts): TakeResult {
  const hold = new RedisHold(request.requestId, micro(answer.grant));
  const windows: [string, WindowState][] = [];
  request.claims.forEach((claim, i) => {
    const [first, second] = [answer.counts[2 * i] as number, answer.counts[2 * i + 1] as number];
    if (claim.kind === 'window') {
      const window = own.window(claim, answer.now);
      hold.addWindow(window, claim.amount, answer.now, claim.name === 'key-tokens');
      window.seenUsed = first;
      window.seenAt = answer.now;
      windows.push([claim.id, windowState(claim, first, second)]);
    } else {
      const budget = own.budget(claim.id, answer.now);
      hold.addBudget(budget);
      budget.seen = { limit: claim.limit, available: first, outstanding: second, grant: answer.grant };
    }
  });
  const spare = hold.budgets.length === 0 ? UNBOUNDED : micro(answer.tightest - answer.grant);
  return { ok: true, hold, spare, windows: new FewWindowStates(windows) };
}

export function refusedResult(request: TakeRequest, answer: Refused): Extract<TakeResult, { ok: false }> {
  const windows: [string, WindowState][] = [];
  request.claims.forEach((claim, i) => {
    if (claim.kind !== 'window') return;
    const [used, resetMs] = [answer.counts[2 * i] as number, answer.counts[2 * i + 1] as number];
    windows.push([claim.id, windowState(claim, used, resetMs)]);
  });
  const failed = request.claims[answer.claim] as Claim;
  const isWindow = failed.kind === 'window';
  return {
    ok: false,
    failed,
    retryAfterMs: isWindow ? answer.detail : undefined,
    available: isWindow ? undefined : micro(answer.detail),
    windows: new FewWindowStates(windows),
  };
}

export function windowState(claim: WindowClaim, used: number, resetMs: number): WindowState {
  return { limit: claim.limit, remaining: Math.max(0, claim.limit - used), resetMs };
}

function micro(value: number): Money {
  return money(BigInt(value));
}
