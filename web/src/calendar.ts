/** Days in the reader's calendar. A day is its Gregorian ISO date (`2026-11-16`); the browser knows both calendars. */
export type Calendar = 'jalali' | 'gregorian';
export type Day = string;

interface DayParts {
  year: number;
  month: number;
  day: number;
}

const DAY_MS = 86_400_000;
const formats = new Map<Calendar, Intl.DateTimeFormat>();

function formatIn(calendar: Calendar): Intl.DateTimeFormat {
  let format = formats.get(calendar);
  if (format === undefined) {
    const tag = `en-u-ca-${calendar === 'jalali' ? 'persian' : 'gregory'}-nu-latn`;
    format = new Intl.DateTimeFormat(tag, { timeZone: 'UTC', year: 'numeric', month: 'numeric', day: 'numeric' });
    formats.set(calendar, format);
  }
  return format;
}

export function civilParts(day: Day, calendar: Calendar): DayParts {
  const parts = formatIn(calendar).formatToParts(noonOf(day));
  const part = (type: string) => Number(parts.find((found) => found.type === type)?.value ?? 0);
  return { year: part('year'), month: part('month'), day: part('day') };
}

/** A text from an address may be anything. */
export function dayOf(text: string | undefined): Day | undefined {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(noonOf(text).getTime())
    ? text
    : undefined;
}

export function noonOf(day: Day): Date {
  return new Date(`${day}T12:00:00Z`);
}

export function addDays(day: Day, count: number): Day {
  return new Date(noonOf(day).getTime() + count * DAY_MS).toISOString().slice(0, 10);
}

/** All days of the month that `day` is in. */
export function monthOf(day: Day, calendar: Calendar): Day[] {
  const { month, day: number } = civilParts(day, calendar);
  const days: Day[] = [];
  for (let at = addDays(day, 1 - number); civilParts(at, calendar).month === month; at = addDays(at, 1)) days.push(at);
  return days;
}

/** How many days of the week stand before this one: a week begins on Saturday in the Jalali calendar, else on Monday. */
export function dayOfWeek(day: Day, calendar: Calendar): number {
  return (noonOf(day).getUTCDay() + (calendar === 'jalali' ? 1 : 6)) % 7;
}

/** The date at that moment in a time zone. */
export function dayAt(moment: number | string, timeZone: string): Day {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return parts.format(new Date(moment));
}

/** The moment at which a day begins in a time zone. */
export function startOf(day: Day, timeZone: string): Date {
  const wanted = new Date(`${day}T00:00:00Z`).getTime();
  // Computed twice, because the first guess may be on the other side of a clock change.
  let moment = wanted;
  for (let turn = 0; turn < 2; turn++) moment = wanted - offsetAt(moment, timeZone);
  return new Date(moment);
}

function offsetAt(moment: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-u-hc-h23', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const part = (type: string) => Number(parts.find((found) => found.type === type)?.value ?? 0);
  const parts = format.formatToParts(moment);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(moment / 1000) * 1000;
}
