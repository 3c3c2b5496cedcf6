/** From the script's numbers to the results of the port. The counters that were used are leased from now on. */
import { type Money, money } from '../../core/money.ts';
import type { LimitCheck, ReserveRequest, ReserveResult, WindowCheck, WindowState } from '../admission.ts';
import { FewWindowStates } from '../few-window-states.ts';
import type { Leases } from './leases.ts';
import type { ChangeOutbox } from './outbox.ts';
import type { OwnCounts } from './own-counts.ts';
import type { ReserveReply } from './packing.ts';
import { RedisHold } from './redis-hold.ts';

type Reserved = Extract<ReserveReply, { kind: 'reserved' }>;
type Refused = Extract<ReserveReply, { kind: 'refused' }>;

export function grantedResult(
  request: ReserveRequest,
  answer: Reserved,
  { own, leases, outbox }: { own: OwnCounts; leases: Leases; outbox: ChangeOutbox },
): ReserveResult {
  const hold = new RedisHold(request.requestId, micro(answer.grant), outbox);
  const windows: [string, WindowState][] = [];
  request.checks.forEach((check, i) => {
    const [first, second] = [answer.counts[2 * i] as number, answer.counts[2 * i + 1] as number];
    if (check.kind === 'window') {
      const window = own.window(check, answer.now);
      hold.addWindow(window, check.amount, answer.now, check.name === 'key-tokens');
      window.seenAt = answer.now;
      leases.usedWindow(window, check);
      windows.push([check.id, windowState(check, first, second)]);
    } else {
      const budget = own.budget(check.id, answer.now);
      hold.addBudget(budget);
      budget.left = first - answer.grant;
      leases.usedBudget(budget, check.limit, request.money.least);
    }
  });
  return { ok: true, hold, windows: new FewWindowStates(windows) };
}

export function refusedResult(request: ReserveRequest, answer: Refused): Extract<ReserveResult, { ok: false }> {
  const windows: [string, WindowState][] = [];
  request.checks.forEach((check, i) => {
    if (check.kind !== 'window') return;
    const [used, resetMs] = [answer.counts[2 * i] as number, answer.counts[2 * i + 1] as number];
    windows.push([check.id, windowState(check, used, resetMs)]);
  });
  const failed = request.checks[answer.check] as LimitCheck;
  const isWindow = failed.kind === 'window';
  return {
    ok: false,
    failed,
    retryAfterMs: isWindow ? answer.detail : undefined,
    available: isWindow ? undefined : micro(answer.detail),
    windows: new FewWindowStates(windows),
  };
}

export function windowState(check: WindowCheck, used: number, resetMs: number): WindowState {
  return { limit: check.limit, remaining: Math.max(0, check.limit - used), resetMs };
}

function micro(value: number): Money {
  return money(BigInt(value));
}
