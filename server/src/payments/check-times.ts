/** When an order that did not end is asked about again. */
import type { OrderState } from './order-states.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** After this a gateway that never answered is a case for staff. */
const STOP_ASKING_MS = 14 * DAY;
/** A gateway that does not answer: soon, then with patience. */
const UNREACHABLE_STEPS = [5_000, MINUTE, 5 * MINUTE, 30 * MINUTE];

/**
 * When an open order is asked about. Customers usually come back from the gateway by themselves; this is for those who did not.
 */
function whileOpen(ageMs: number): number {
  if (ageMs < 10 * MINUTE) return 2 * MINUTE;
  if (ageMs < HOUR) return 10 * MINUTE;
  return HOUR;
}

/** When an order that failed or expired is asked about again, for a late payment; null when nothing is asked any more. */
function afterEnd(ageMs: number): number | null {
  if (ageMs < 6 * HOUR) return HOUR;
  if (ageMs < DAY) return 6 * HOUR;
  return ageMs < 4 * DAY ? DAY : null;
}

export function whileUnreachable(checks: number, ageMs: number): number | null {
  return ageMs > STOP_ASKING_MS ? null : afterSilence(checks);
}

function afterSilence(tries: number): number {
  return UNREACHABLE_STEPS[Math.min(tries, UNREACHABLE_STEPS.length) - 1] ?? MINUTE;
}

/** A gateway that does not answer about a refund; null when staff must find out. */
export function whileRefundUnanswered(tries: number, ageMs: number): number | null {
  return ageMs > 3 * DAY ? null : afterSilence(tries);
}

/** A refund that the gateway has taken and not carried out yet; null when staff must find out. */
export function whileRefundPending(ageMs: number): number | null {
  return ageMs > 30 * DAY ? null : HOUR;
}

export function nextCheck(state: OrderState, ageMs: number): number | null {
  if (state === 'failed' || state === 'expired') return afterEnd(ageMs);
  if (state === 'credited' || state === 'refunded') return null;
  return whileOpen(ageMs);
}
