/** Dates as people write them: Jalali or Gregorian, with Persian or Latin digits, with or without a time and its zone. */

import { HOME_ZONE } from '../core/home-zone.ts';
import { latinDigits } from '../core/persian-text.ts';
import { DAY_MS } from '../core/time-spans.ts';
import { gregorian, jalali } from './civil-days.ts';
import { instantOf } from './local-midnight.ts';

/** Years of the Jalali calendar in which anybody alive has dealings; Gregorian ones of that number are long past. */
const JALALI_YEARS = { from: 1300, to: 1500 };
const WRITTEN =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?(Z|[+-]\d{2}:\d{2})?)?$/i;

interface Written {
  /** Days since 1970-01-01. */
  day: number;
  /** Milliseconds since midnight. */
  ms: number;
  zone: string | undefined;
}

/** Milliseconds since 1970. What names no zone is meant in `timeZone`; a date alone is its midnight. Undefined: not a date. */
export function parseTimeInput(text: string, timeZone: string = HOME_ZONE): number | undefined {
  const written = read(text);
  if (!written) return undefined;
  const { day, ms, zone } = written;
  if (zone === undefined) return instantOf(timeZone, day, ms);
  return day * DAY_MS + ms - offsetOf(zone);
}

/** `2026-11-15`, for a date in either calendar. Undefined: not a date. */
export function parseDayInput(text: string): string | undefined {
  const written = read(text);
  if (!written) return undefined;
  const { year, month, day } = gregorian.fromDay(written.day);
  return `${year}-${twoDigits(month)}-${twoDigits(day)}`;
}

function read(text: string): Written | undefined {
  const match = WRITTEN.exec(latinDigits(text.trim().slice(0, 40)));
  if (!match) return undefined;
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second >= 60) return undefined;
  const calendar = year >= JALALI_YEARS.from && year <= JALALI_YEARS.to ? jalali : gregorian;
  if (month < 1 || month > 12) return undefined;
  const day = calendar.toDay(year, month, date);
  // The thirtieth of February, or the thirty-first of Mehr, is no day.
  const back = calendar.fromDay(day);
  if (back.year !== year || back.month !== month || back.day !== date) return undefined;
  return { day, ms: (hour * 60 + minute) * 60_000 + Math.floor(second * 1_000 + 1e-6), zone: match[7] };
}

function offsetOf(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  return sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6))) * 60_000;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
