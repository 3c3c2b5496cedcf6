/**
 * Finds where a local day begins, in zones that shift their clocks, also when midnight itself is skipped or occurs
 * twice.
 */
import { DAY_MS } from '@dargah/core/time-spans.ts';

/** Building a formatter costs far more than using it. Zone names come from validated settings, so there are few. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

/** Returns local time minus UTC at an instant, in milliseconds. */
function offsetMs(timeZone: string, atMs: number): number {
  const field: Record<string, number> = {};
  for (const part of formatterOf(timeZone).formatToParts(atMs)) field[part.type] = Number(part.value);
  const wholeSecond = Math.floor(atMs / 1_000) * 1_000;
  const local = Date.UTC(
    field['year'] as number,
    (field['month'] as number) - 1,
    field['day'] as number,
    field['hour'] as number,
    field['minute'] as number,
    field['second'] as number,
  );
  return local - wholeSecond;
}

/**
 * The first instant of a local day (days counted from 1970-01-01). Midnight skipped: the instant the clocks jumped.
 * Midnight twice: the first one, so that a period never begins a second time.
 */
export function startOfLocalDay(timeZone: string, epochDay: number): number {
  const utcMidnight = epochDay * DAY_MS;
  // Offsets reach from −12 h to +14 h, so both ends lie outside the day's possible beginnings.
  let before = utcMidnight - DAY_MS;
  let after = utcMidnight + DAY_MS;
  const oldOffset = offsetMs(timeZone, before);
  const newOffset = offsetMs(timeZone, after);
  if (oldOffset === newOffset) return utcMidnight - oldOffset;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetMs(timeZone, middle) === oldOffset) before = middle;
    else after = middle;
  }
  const shift = after;
  if (utcMidnight - oldOffset < shift) return utcMidnight - oldOffset;
  return Math.max(shift, utcMidnight - newOffset);
}

/** The instant at which the clocks of the zone show this time of a local day. */
export function instantOf(timeZone: string, epochDay: number, msOfDay: number): number {
  if (msOfDay === 0) return startOfLocalDay(timeZone, epochDay);
  const shown = epochDay * DAY_MS + msOfDay;
  // The offset of a first guess may be that of the other side of a shift; asked again at the guess it is the right one.
  const guess = shown - offsetMs(timeZone, shown);
  return shown - offsetMs(timeZone, guess);
}

/** The local day an instant belongs to: the last one that has begun. */
export function localDayOf(timeZone: string, atMs: number): number {
  const day = Math.floor((atMs + offsetMs(timeZone, atMs)) / DAY_MS);
  // When clocks are set back over midnight they show the day before again; the day that has begun stays.
  return startOfLocalDay(timeZone, day + 1) <= atMs ? day + 1 : day;
}
