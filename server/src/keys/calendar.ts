/** Periods of spend caps: days, Jalali or Gregorian months, and all time, by the account's own time zone. */
import { arithmeticOf, gregorian } from './civil-days.ts';
import { localDayOf, startOfLocalDay } from './local-midnight.ts';
import type { Calendar, CapPeriod } from './rules.ts';

export interface Period {
  /** `2026-11-15`, `1405-08`, `2026-11` or `total`. A new period has a new id, hence a fresh counter. */
  id: string;
  startsAt: number;
  resetsAt: number | null;
}

const TOTAL: Period = { id: 'total', startsAt: 0, resetsAt: null };

/** The running period of each zone: asked three times a request, computed once a day. */
interface Running {
  daily?: Period;
  jalali?: Period;
  gregorian?: Period;
}
const runningOf = new Map<string, Running>();
/** More zones than exist means that names are not validated; then start over instead of growing. */
const MAX_ZONES = 1_000;

export function periodOf(period: CapPeriod, calendar: Calendar, nowMs: number): Period {
  if (period === 'total') return TOTAL;
  let running = runningOf.get(calendar.timeZone);
  if (running === undefined) {
    if (runningOf.size >= MAX_ZONES) runningOf.clear();
    running = {};
    runningOf.set(calendar.timeZone, running);
  }
  const slot = period === 'daily' ? 'daily' : calendar.month;
  const cached = running[slot];
  if (cached !== undefined && cached.startsAt <= nowMs && nowMs < (cached.resetsAt as number)) return cached;
  const fresh = period === 'daily' ? dayAt(calendar.timeZone, nowMs) : monthAt(calendar, nowMs);
  running[slot] = fresh;
  return fresh;
}

function dayAt(timeZone: string, nowMs: number): Period {
  const day = localDayOf(timeZone, nowMs);
  const date = gregorian.fromDay(day);
  return {
    id: `${date.year}-${twoDigits(date.month)}-${twoDigits(date.day)}`,
    startsAt: startOfLocalDay(timeZone, day),
    resetsAt: startOfLocalDay(timeZone, day + 1),
  };
}

function monthAt(calendar: Calendar, nowMs: number): Period {
  const days = arithmeticOf(calendar.month);
  const { year, month } = days.fromDay(localDayOf(calendar.timeZone, nowMs));
  const next = month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 };
  return {
    id: `${year}-${twoDigits(month)}`,
    startsAt: startOfLocalDay(calendar.timeZone, days.toDay(year, month, 1)),
    resetsAt: startOfLocalDay(calendar.timeZone, days.toDay(next.year, next.month, 1)),
  };
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}
