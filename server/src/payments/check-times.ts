/** When the gateway is asked again about an order that did not end. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { OrderState } from './order-states.ts';

/** A gateway that has not answered for this long is a case for staff. */
const STOP_ASKING_MS = 14 * DAY_MS;
/** A gateway that does not answer is asked again soon, then less and less often. */
const UNREACHABLE_STEPS = [5_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];

/**
 * When an open order is checked. Customers usually return from the gateway by themselves; this is for those who did
 * not.
 */
function whileOpen(ageMs: number): number {
  if (ageMs < 10 * MINUTE_MS) return 2 * MINUTE_MS;
  if (ageMs < HOUR_MS) return 10 * MINUTE_MS;
  return HOUR_MS;
}

/** When an order that failed or expired is checked for a late payment; null when it is not checked any more. */
function afterEnd(ageMs: number): number | null {
  if (ageMs < 6 * HOUR_MS) return HOUR_MS;
  if (ageMs < DAY_MS) return 6 * HOUR_MS;
  return ageMs < 4 * DAY_MS ? DAY_MS : null;
}

export function whileUnreachable(checks: number, ageMs: number): number | null {
  return ageMs > STOP_ASKING_MS ? null : afterSilence(checks);
}

function afterSilence(tries: number): number {
  return UNREACHABLE_STEPS[Math.min(tries, UNREACHABLE_STEPS.length) - 1] ?? MINUTE_MS;
}

/** When a gateway that did not answer about a refund is asked again; null when staff must find out. */
export function whileRefundUnanswered(tries: number, ageMs: number): number | null {
  return ageMs > 3 * DAY_MS ? null : afterSilence(tries);
}

/** When a refund that the gateway has accepted but not carried out is checked again; null when staff must find out. */
export function whileRefundPending(ageMs: number): number | null {
  return ageMs > 30 * DAY_MS ? null : HOUR_MS;
}

export function nextCheck(state: OrderState, ageMs: number): number | null {
  if (state === 'failed' || state === 'expired') return afterEnd(ageMs);
  if (state === 'credited' || state === 'refunded') return null;
  return whileOpen(ageMs);
}
