/** The date on an invoice: Jalali, in Tehran, with the same day in the Gregorian calendar. */
import { HOME_ZONE } from '@dargah/core/home-zone.ts';

const FIELDS = { timeZone: HOME_ZONE, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const JALALI = new Intl.DateTimeFormat('en-u-ca-persian', FIELDS);
const GREGORIAN = new Intl.DateTimeFormat('en-u-ca-gregory', FIELDS);

export function jalaliDate(at: Date): { year: number; text: string; gregorian: string } {
  const { year = '', month, day } = partsOf(JALALI, at);
  const there = partsOf(GREGORIAN, at);
  return {
    year: Number(year),
    text: `${year}/${month}/${day}`,
    gregorian: `${there['year']}-${there['month']}-${there['day']}`,
  };
}

function partsOf(format: Intl.DateTimeFormat, at: Date): Record<string, string> {
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}
