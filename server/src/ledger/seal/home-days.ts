/** Days of the books: those of Tehran, as `2026-11-15`. */
import { HOME_OFFSET_MS } from '@dargah/core/home-zone.ts';
import { DAY_MS, HOUR_MS } from '@dargah/core/time-spans.ts';
import { firstIdAt } from '../../core/ids.ts';

/** A day is sealed this long after its end; the triggers for late rows rely on it. */
const SEALED_AFTER_MS = 4 * HOUR_MS;
/** A charge's id is made in the same moment as its time; they may differ by this much. */
const ID_SLACK_MS = 5 * 60_000;
const DAY_LETTERS = 10;

export function homeDay(ms: number): string {
  return new Date(ms + HOME_OFFSET_MS).toISOString().slice(0, DAY_LETTERS);
}

export function startOfDay(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) - HOME_OFFSET_MS;
}

export function dayAfter(day: string, days = 1): string {
  return homeDay(startOfDay(day) + days * DAY_MS);
}

/** The first day on which entries may still be booked. */
export function openDayAt(ms: number): string {
  return homeDay(ms - SEALED_AFTER_MS);
}

/** An id such that no charge of this moment or later has a smaller one. */
export function firstChargeId(ms: number): string {
  return firstIdAt('req', Math.max(0, ms - ID_SLACK_MS));
}

/** An id such that no charge before this moment has a larger one. */
export function chargeIdsEnd(ms: number): string {
  return firstIdAt('req', Math.max(0, ms + ID_SLACK_MS));
}
