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
  const { counts, now } = answer;
  let at = 0;
  for (const check of request.checks) {
    if (check.kind === 'window') {
      const window = own.window(check, now);
      hold.addWindow(window, check.amount, now, check.name === 'key-tokens');
      window.seenAt = now;
      leases.usedWindow(window, check);
      windows.push([check.id, windowState(check, counts[at++] as number, counts[at++] as number)]);
    } else {
      const budget = own.budget(check.id, now);
      hold.addBudget(budget);
      budget.left = (counts[at++] as number) - answer.grant;
      leases.usedBudget(budget, check.limit, request.money.least);
    }
  }
  return { ok: true, hold, windows: new FewWindowStates(windows) };
}

export function refusedResult(request: ReserveRequest, answer: Refused): Extract<ReserveResult, { ok: false }> {
  const windows: [string, WindowState][] = [];
  let at = 0;
  for (const check of request.checks) {
    if (check.kind !== 'window') continue;
    windows.push([check.id, windowState(check, answer.counts[at++] as number, answer.counts[at++] as number)]);
  }
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
