/** Spans of time in the account's own calendar: bounds, intervals and labels come from one place. */

import { DAY_MS, HOUR_MS } from '@dargah/core/time-spans.ts';
import { invalidRequest } from '../../core/errors.ts';
import { type Calendar, periodOf } from '../../keys/index.ts';
import { httpReasons } from '../reasons.ts';
import { timeInput } from '../time-input.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;

export interface TimeSpan {
  from: number;
  to: number;
}

/** A day means its midnight in the account's zone. */
export function spanOf(input: { from?: string; to?: string }, calendar: Calendar, nowMs: number): TimeSpan {
  const to = input.to === undefined ? nowMs + 1 : timeInput(input.to, 'to', calendar.timeZone);
  const from =
    input.from === undefined
      ? periodOf('daily', calendar, to - (DEFAULT_DAYS - 1) * DAY_MS).startsAt
      : timeInput(input.from, 'from', calendar.timeZone);
  if (from >= to || to - from > MAX_DAYS * DAY_MS) throw invalidRequest('from', httpReasons.spanOutOfBounds(MAX_DAYS));
  return { from, to };
}

export interface TimeInterval {
  start: number;
  label: string;
}

/** Every interval of the span, also empty ones. */
export function intervalsOf(
  { from, to }: TimeSpan,
  unit: 'hour' | 'day' | 'month',
  calendar: Calendar,
): TimeInterval[] {
  const intervals: TimeInterval[] = [];
  for (let at = from; at < to && intervals.length < 10_000; ) {
    const interval = intervalAt(at, unit, calendar);
    intervals.push({ start: interval.start, label: interval.label });
    at = interval.end;
  }
  return intervals;
}

export function intervalAt(
  at: number,
  unit: 'hour' | 'day' | 'month',
  calendar: Calendar,
): TimeInterval & { end: number } {
  if (unit === 'hour') {
    // Hours are counted from the zone's midnight: in Tehran they begin half an hour off UTC.
    const day = periodOf('daily', calendar, at);
    const start = day.startsAt + Math.floor((at - day.startsAt) / HOUR_MS) * HOUR_MS;
    const hour = String(Math.floor((start - day.startsAt) / HOUR_MS)).padStart(2, '0');
    return { start, end: start + HOUR_MS, label: `${day.id} ${hour}:00` };
  }
  const { id, startsAt, resetsAt } = periodOf(unit === 'day' ? 'daily' : 'monthly', calendar, at);
  return { start: startsAt, end: resetsAt ?? at + DAY_MS, label: id };
}
