/** When an order that did not end is asked about again. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/time-spans.ts';
import type { OrderState } from './order-states.ts';

/** After this a gateway that never answered is a case for staff. */
const STOP_ASKING_MS = 14 * DAY_MS;
/** A gateway that does not answer: soon, then less and less often. */
const UNREACHABLE_STEPS = [5_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];

/**
 * When an open order is asked about. Customers usually come back from the gateway by themselves; this is for those who did not.
 */
function whileOpen(ageMs: number): number {
  if (ageMs < 10 * MINUTE_MS) return 2 * MINUTE_MS;
  if (ageMs < HOUR_MS) return 10 * MINUTE_MS;
  return HOUR_MS;
}

/** When an order that failed or expired is asked about again, for a late payment; null when nothing is asked any more. */
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

/** A gateway that does not answer about a refund; null when staff must find out. */
export function whileRefundUnanswered(tries: number, ageMs: number): number | null {
  return ageMs > 3 * DAY_MS ? null : afterSilence(tries);
}

/** A refund that the gateway has taken and not carried out yet; null when staff must find out. */
export function whileRefundPending(ageMs: number): number | null {
  return ageMs > 30 * DAY_MS ? null : HOUR_MS;
}

export function nextCheck(state: OrderState, ageMs: number): number | null {
  if (state === 'failed' || state === 'expired') return afterEnd(ageMs);
  if (state === 'credited' || state === 'refunded') return null;
  return whileOpen(ageMs);
}
