import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { periodOf } from '../../src/keys/calendar.ts';
import { gregorian, jalali } from '../../src/keys/civil-days.ts';
import { localDayOf, startOfLocalDay } from '../../src/keys/local-midnight.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const at = (text: string): number => Date.parse(text);
const iso = (ms: number | null): string => new Date(ms as number).toISOString();
const TEHRAN = { timeZone: 'Asia/Tehran', month: 'jalali' } as const;

describe('day arithmetic', () => {
  it('agrees with Intl on every day of 1390–1430 in the Jalali calendar', () => {
    const persian = new Intl.DateTimeFormat('en-US-u-ca-persian-nu-latn', {
      timeZone: 'UTC',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    });
    for (let day = jalali.toDay(1390, 1, 1); day < jalali.toDay(1431, 1, 1); day++) {
      const field: Record<string, number> = {};
      for (const part of persian.formatToParts(day * DAY_MS)) field[part.type] = Number.parseInt(part.value, 10);
      const mine = jalali.fromDay(day);
      expect([mine.year, mine.month, mine.day]).toEqual([field['year'], field['month'], field['day']]);
    }
  });

  it('agrees with Intl on the first and last day of every Jalali year of 1300–1500', () => {
    const persian = new Intl.DateTimeFormat('en-US-u-ca-persian-nu-latn', { timeZone: 'UTC', dateStyle: 'short' });
    for (let year = 1300; year <= 1500; year++) {
      const first = jalali.toDay(year, 1, 1);
      expect(persian.format(first * DAY_MS)).toMatch(new RegExp(`^1/1/${year}\\b`));
      expect(persian.format((first - 1) * DAY_MS)).toMatch(new RegExp(`^12/(29|30)/${year - 1}\\b`));
    }
  });

  it('turns days into dates and back, in both calendars', () => {
    fc.assert(
      fc.property(fc.integer({ min: -200_000, max: 200_000 }), (day) => {
        for (const calendar of [gregorian, jalali]) {
          const date = calendar.fromDay(day);
          expect(calendar.toDay(date.year, date.month, date.day)).toBe(day);
        }
        const date = gregorian.fromDay(day);
        expect(Date.UTC(date.year, date.month - 1, date.day)).toBe(day * DAY_MS);
      }),
    );
  });
});

describe('local midnight', () => {
  it('knows days of 23 and 25 hours', () => {
    const berlin = (text: string): number => startOfLocalDay('Europe/Berlin', Math.floor(at(text) / DAY_MS));
    expect(berlin('2026-03-30T00:00Z') - berlin('2026-03-29T00:00Z')).toBe(23 * HOUR_MS);
    expect(berlin('2026-10-26T00:00Z') - berlin('2026-10-25T00:00Z')).toBe(25 * HOUR_MS);
  });

  it('begins a day without a midnight when the clocks jump', () => {
    // Tehran, 22 March 2022: 00:00 did not exist, the day began at 01:00.
    const day = Math.floor(at('2022-03-22T00:00Z') / DAY_MS);
    expect(iso(startOfLocalDay('Asia/Tehran', day))).toBe('2022-03-21T20:30:00.000Z');
    expect(localDayOf('Asia/Tehran', at('2022-03-21T20:29:59.999Z'))).toBe(day - 1);
    expect(localDayOf('Asia/Tehran', at('2022-03-21T20:30:00.000Z'))).toBe(day);
  });

  it('begins a day once when midnight comes twice', () => {
    // Azores, 25 October 2026: at 01:00 local the clocks go back to 00:00; Havana, 1 November: 01:00 → 00:00.
    for (const [zone, date] of [
      ['Atlantic/Azores', '2026-10-25'],
      ['America/Havana', '2026-11-01'],
    ] as const) {
      const day = at(`${date}T00:00Z`) / DAY_MS;
      const start = startOfLocalDay(zone, day);
      expect(localDayOf(zone, start - 1)).toBe(day - 1);
      expect(localDayOf(zone, start)).toBe(day);
      expect(startOfLocalDay(zone, day + 1) - start).toBe(25 * HOUR_MS);
    }
  });

  it('never goes back when clocks are set back over midnight', () => {
    // St John's, 7 November 2010: 00:01 → 23:01 of the day before.
    const zone = 'America/St_Johns';
    const start = startOfLocalDay(zone, at('2010-11-07T00:00Z') / DAY_MS);
    let previous = 0;
    for (let t = start - HOUR_MS; t < start + 3 * HOUR_MS; t += 30_000) {
      const day = localDayOf(zone, t);
      expect(day).toBeGreaterThanOrEqual(previous);
      expect(startOfLocalDay(zone, day)).toBeLessThanOrEqual(t);
      previous = day;
    }
  });
});

describe('periodOf', () => {
  it('names the day and month of an account in Tehran', () => {
    const now = at('2026-11-15T06:00:00Z');
    expect(periodOf('daily', TEHRAN, now)).toEqual({
      id: '2026-11-15',
      startsAt: at('2026-11-14T20:30:00Z'),
      resetsAt: at('2026-11-15T20:30:00Z'),
    });
    expect(periodOf('monthly', TEHRAN, now)).toEqual({
      id: '1405-08',
      startsAt: at('2026-10-22T20:30:00Z'),
      resetsAt: at('2026-11-21T20:30:00Z'),
    });
    expect(periodOf('monthly', { ...TEHRAN, month: 'gregorian' }, now).id).toBe('2026-11');
    expect(periodOf('total', TEHRAN, now)).toEqual({ id: 'total', startsAt: 0, resetsAt: null });
  });

  it('changes exactly at local midnight', () => {
    const reset = periodOf('daily', TEHRAN, at('2026-11-15T06:00:00Z')).resetsAt as number;
    expect(periodOf('daily', TEHRAN, reset - 1).id).toBe('2026-11-15');
    expect(periodOf('daily', TEHRAN, reset).id).toBe('2026-11-16');
    expect(periodOf('daily', TEHRAN, reset - 1).id).toBe('2026-11-15');
  });

  it('ends Esfand after 30 days in a leap year and after 29 otherwise', () => {
    const length = (year: number): number => {
      const period = periodOf('monthly', TEHRAN, jalali.toDay(year, 12, 10) * DAY_MS);
      expect(period.id).toBe(`${year}-12`);
      return Math.round(((period.resetsAt as number) - period.startsAt) / DAY_MS);
    };
    expect([1403, 1404, 1405, 1408, 1412].map(length)).toEqual([30, 29, 29, 30, 30]);
  });

  it('leaves no gap and no overlap between periods, in any zone and calendar', () => {
    const zones = ['Asia/Tehran', 'UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Pacific/Apia', 'Australia/Lord_Howe'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom('jalali', 'gregorian'),
        fc.constantFrom('daily', 'monthly'),
        fc.integer({ min: at('2008-01-01T00:00Z'), max: at('2045-01-01T00:00Z') }),
        (timeZone, month, period, now) => {
          const calendar = { timeZone, month } as const;
          const current = periodOf(period, calendar, now);
          expect(current.startsAt).toBeLessThanOrEqual(now);
          expect(current.resetsAt).toBeGreaterThan(now);
          expect(periodOf(period, calendar, (current.resetsAt as number) - 1)).toEqual(current);
          const next = periodOf(period, calendar, current.resetsAt as number);
          expect(next.startsAt).toBe(current.resetsAt);
          expect(next.id > current.id).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('starts each month on day one at local midnight, over leap years and month ends', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1390, max: 1440 }), fc.integer({ min: 1, max: 12 }), (year, month) => {
        const first = jalali.toDay(year, month, 1);
        const start = startOfLocalDay('Asia/Tehran', first);
        expect(periodOf('monthly', TEHRAN, start).id).toBe(`${year}-${String(month).padStart(2, '0')}`);
        expect(periodOf('monthly', TEHRAN, start - 1).id).not.toBe(periodOf('monthly', TEHRAN, start).id);
      }),
      { numRuns: 200 },
    );
  });
});
