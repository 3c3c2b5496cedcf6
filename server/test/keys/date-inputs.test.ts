import { describe, expect, it } from 'vitest';
import { timeInput } from '../../src/http/time-input.ts';
import { parseTimeInput } from '../../src/keys/date-inputs.ts';

const iso = (text: string, timeZone?: string) => {
  const at = parseTimeInput(text, timeZone);
  return at === undefined ? undefined : new Date(at).toISOString();
};

describe('a date as people write it', () => {
  it.each([
    ['1406/01/01', undefined, '2027-03-20T20:30:00.000Z'],
    ['۱۴۰۶/۱/۱', undefined, '2027-03-20T20:30:00.000Z'],
    ['2027-03-21', undefined, '2027-03-20T20:30:00.000Z'],
    ['1406/01/01', 'Europe/Berlin', '2027-03-20T23:00:00.000Z'],
    ['2027-03-21', 'America/New_York', '2027-03-21T04:00:00.000Z'],
    ['2027-03-21T00:00:00+03:30', 'America/New_York', '2027-03-20T20:30:00.000Z'],
  ])('%s in %s is %s', (text, timeZone, at) => {
    expect(iso(text, timeZone)).toBe(at);
  });

  it('means the clock of its zone, also on the days on which the clocks shift', () => {
    expect(iso('2027-03-28T01:30', 'Europe/Berlin')).toBe('2027-03-28T00:30:00.000Z');
    expect(iso('2027-03-28T10:00', 'Europe/Berlin')).toBe('2027-03-28T08:00:00.000Z');
    expect(iso('2027-10-31T10:00', 'Europe/Berlin')).toBe('2027-10-31T09:00:00.000Z');
    expect(iso('2027-11-07T23:00', 'America/New_York')).toBe('2027-11-08T04:00:00.000Z');
    expect(iso('1406/01/08 10:00', 'Europe/Berlin')).toBe('2027-03-28T08:00:00.000Z');
  });

  it.each(['yesterday', '1406/07/31', '2027-02-30', '2027-03-21T25:00', ''])('refuses %j by name', (text) => {
    expect(iso(text)).toBeUndefined();
    expect(() => timeInput(text, 'from')).toThrow('invalid_request (from)');
  });
});
