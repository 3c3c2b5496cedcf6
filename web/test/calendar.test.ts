/** Days in the reader's calendar, against what calendars say of known days. */
import { describe, expect, it } from 'vitest';
import { addDays, civilParts, dayAt, dayOf, dayOfWeek, monthOf, startOf } from '../src/calendar.ts';

describe('days', () => {
  it('are told in both calendars', () => {
    expect(civilParts('2026-11-16', 'jalali')).toEqual({ year: 1405, month: 8, day: 25 });
    expect(civilParts('2026-11-16', 'gregorian')).toEqual({ year: 2026, month: 11, day: 16 });
    // The first day of spring, in a common year and in a leap year.
    expect(civilParts('2026-03-21', 'jalali')).toEqual({ year: 1405, month: 1, day: 1 });
    expect(civilParts('2025-03-20', 'jalali')).toEqual({ year: 1403, month: 12, day: 30 });
  });

  it('make whole months', () => {
    const aban = monthOf('2026-11-16', 'jalali');
    expect([aban.length, aban[0], aban.at(-1)]).toEqual([30, '2026-10-23', '2026-11-21']);
    const february = monthOf('2028-02-10', 'gregorian');
    expect([february.length, february[0], february.at(-1)]).toEqual([29, '2028-02-01', '2028-02-29']);
  });

  it('stand in a week that begins on Saturday or on Monday', () => {
    // A Monday.
    expect(dayOfWeek('2026-11-16', 'jalali')).toBe(2);
    expect(dayOfWeek('2026-11-16', 'gregorian')).toBe(0);
    expect(dayOfWeek('2026-11-14', 'jalali')).toBe(0);
  });

  it('begin at midnight of their zone, also where clocks change', () => {
    expect(startOf('2026-11-16', 'Asia/Tehran').toISOString()).toBe('2026-11-15T20:30:00.000Z');
    expect(startOf('2026-03-29', 'Europe/Berlin').toISOString()).toBe('2026-03-28T23:00:00.000Z');
    expect(startOf('2026-03-30', 'Europe/Berlin').toISOString()).toBe('2026-03-29T22:00:00.000Z');
    for (const zone of ['Asia/Tehran', 'Europe/Berlin', 'America/New_York', 'UTC'])
      for (let day = '2026-01-01'; day < '2027-01-01'; day = addDays(day, 1))
        expect(dayAt(startOf(day, zone).getTime(), zone)).toBe(day);
  });

  it('come from an address only when they are days', () => {
    expect(dayOf('2026-11-16')).toBe('2026-11-16');
    for (const text of ['', 'x', '2026-13-01', '2026-11-16T00:00', undefined]) expect(dayOf(text)).toBeUndefined();
  });
});
