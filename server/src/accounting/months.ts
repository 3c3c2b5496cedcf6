/** Months, seasons and years of the books, in either calendar. Days are those of Tehran, as `2026-11-17`. Pure. */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { arithmeticOf, gregorian, jalali } from '../keys/index.ts';

export type BooksCalendar = 'jalali' | 'gregorian';
export type SpanKind = 'month' | 'quarter' | 'year';

/** A span such as `1405-08`, `1405-q3` or `1405`, with its first and last day. */
export interface BooksSpan {
  id: string;
  firstDay: string;
  lastDay: string;
}

const MONTHS: Readonly<Record<SpanKind, number>> = { month: 1, quarter: 3, year: 12 };
const MONTH_ID = /^(\d{4})-(0[1-9]|1[0-2])$/;
const QUARTER_ID = /^(\d{4})-q([1-4])$/;
const YEAR_ID = /^(\d{4})$/;
const DAY_LETTERS = 10;

const epochDayOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;
const dayOf = (epochDay: number): string => new Date(epochDay * DAY_MS).toISOString().slice(0, DAY_LETTERS);
const two = (number: number): string => String(number).padStart(2, '0');

/** The span that a day lies in. */
export function spanOf(calendar: BooksCalendar, span: SpanKind, day: string): BooksSpan {
  const { year, month } = arithmeticOf(calendar).fromDay(epochDayOf(day));
  return spanAt(calendar, span, year, Math.floor((month - 1) / MONTHS[span]));
}

/** The span of this name; undefined where there is none. */
export function spanNamed(calendar: BooksCalendar, span: SpanKind, id: string): BooksSpan | undefined {
  const match = { month: MONTH_ID, quarter: QUARTER_ID, year: YEAR_ID }[span].exec(id);
  if (!match) return undefined;
  const year = Number(match[1]);
  const [least, most] = calendar === 'jalali' ? [1300, 1500] : [1921, 2121];
  return year < least || year > most ? undefined : spanAt(calendar, span, year, Number(match[2] ?? 1) - 1);
}

export function spanBefore(calendar: BooksCalendar, span: SpanKind, { firstDay }: BooksSpan): BooksSpan {
  return spanOf(calendar, span, dayOf(epochDayOf(firstDay) - 1));
}

export function spanAfter(calendar: BooksCalendar, span: SpanKind, { lastDay }: BooksSpan): BooksSpan {
  return spanOf(calendar, span, dayOf(epochDayOf(lastDay) + 1));
}

/** The months of a season or year, in order. */
export function monthsOf(calendar: BooksCalendar, { firstDay, lastDay }: BooksSpan): BooksSpan[] {
  const months: BooksSpan[] = [];
  let month = spanOf(calendar, 'month', firstDay);
  for (; month.firstDay <= lastDay; month = spanAfter(calendar, 'month', month)) months.push(month);
  return months;
}

/** How many days, both included. */
export function daysIn({ firstDay, lastDay }: Pick<BooksSpan, 'firstDay' | 'lastDay'>): number {
  return epochDayOf(lastDay) - epochDayOf(firstDay) + 1;
}

/** `index` counts months, seasons or years within the year, from 0. */
function spanAt(calendar: BooksCalendar, span: SpanKind, year: number, index: number): BooksSpan {
  const days = arithmeticOf(calendar);
  const months = MONTHS[span];
  const first = index * months + 1;
  const next = first + months > 12 ? { year: year + 1, month: 1 } : { year, month: first + months };
  const id = span === 'month' ? `${year}-${two(first)}` : span === 'quarter' ? `${year}-q${index + 1}` : String(year);
  return {
    id,
    firstDay: dayOf(days.toDay(year, first, 1)),
    lastDay: dayOf(days.toDay(next.year, next.month, 1) - 1),
  };
}

/** A day in both calendars, for files: `1405/08/26` and `2026-11-17`. */
export function bothDates(day: string): [jalali: string, gregorian: string] {
  const { year, month, day: ofMonth } = jalali.fromDay(epochDayOf(day));
  return [`${year}/${two(month)}/${two(ofMonth)}`, day];
}

/** Whether a text is a day that exists. */
export function isDay(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return dayOf(gregorian.toDay(year, month, day)) === text && month >= 1 && month <= 12;
}
