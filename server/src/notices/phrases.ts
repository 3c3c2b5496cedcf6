/** Names, numbers, days and amounts as they appear in a notice's sentences, in Persian and English. */

import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { persianDigits } from '@dargah/core/persian-text.ts';
import type { Text } from '@dargah/core/text.ts';

export const plain = (fa: string, en: string) => () => ({ fa, en });
export const shownValue = (value: unknown): string => (value === undefined || value === null ? '—' : String(value));
/** A name in a Persian sentence, kept whole whatever script it is in and whatever number stands beside it. */
export const named = (value: unknown): string => `«\u2068${shownValue(value)}\u2069»`;
export const days = (value: unknown): string => (shownValue(value) === '1' ? '1 day' : `${shownValue(value)} days`);
export const persian = (value: unknown): string => persianDigits(shownValue(value));
/** The day of a moment in the time zone of this service's customers. */
const dayIn = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: HOME_ZONE });
export const PERSIAN_DAY = dayIn('fa-IR-u-ca-persian-nu-arabext');
export const ENGLISH_DAY = dayIn('en-GB');
export const onDay = (value: unknown, format: Intl.DateTimeFormat): string => {
  const at = Date.parse(shownValue(value));
  return Number.isNaN(at) ? shownValue(value) : format.format(at);
};
/** The minute of a moment in the time zone of staff. */
const minuteIn = (locale: string) =>
  new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: HOME_ZONE });
export const PERSIAN_MINUTE = minuteIn('fa-IR-u-nu-arabext');
export const ENGLISH_MINUTE = minuteIn('en-GB');
/** An amount of toman with separators, exact to the micro-toman. */
const grouped = (value: unknown, locale: 'en' | 'fa-IR', point: string): string => {
  const [whole = '', fraction = ''] = shownValue(value).split('.');
  if (!/^-?\d{1,40}$/.test(whole)) return shownValue(value);
  const thousands = new Intl.NumberFormat(locale).format(BigInt(whole));
  return fraction === '' ? thousands : thousands + point + (locale === 'en' ? fraction : persian(fraction));
};
export const toman = (value: unknown): string => grouped(value, 'en', '.');
export const persianToman = (value: unknown): string => grouped(value, 'fa-IR', '٫');
export const list = (values: number[] | undefined): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format((values ?? []).map(String));
export const persianList = (values: number[] | undefined): string =>
  new Intl.ListFormat('fa', { type: 'conjunction' })
    .format((values ?? []).map((value) => persian(value)))
    .replace(/\u200f/g, '')
    .replace('، و ', ' و ');

/** Names the successor of a withdrawn model; empty where there is none. */
export const instead = (successor: unknown): Text =>
  present(successor)
    ? { fa: ` به‌جای آن ${named(successor)} را به کار ببرید.`, en: ` Use ${shownValue(successor)} instead.` }
    : { fa: '', en: '' };
export const present = (value: unknown): boolean => value !== undefined && value !== null;
export const either = (parts: readonly (string | false)[], or: string): string => parts.filter(Boolean).join(or) || '—';
