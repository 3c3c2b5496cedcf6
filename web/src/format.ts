/** Numbers, money and time in the reader's digits and the account's calendar. Amounts arrive as exact decimal text and stay exact. */

import { latinDigits, persianDigits } from '@dargah/core/persian-text.ts';
import { useMemo } from 'react';
import type { Calendar } from './calendar.ts';
import { usePreferences } from './preferences.tsx';
import type { Language } from './texts/dictionary.tsx';

export interface Format {
  language: Language;
  number(value: number | string, decimals?: number): string;
  /** Without separators: years, days. */
  plain(value: number): string;
  percent(share: number, decimals?: number): string;
  amount(text: string): { whole: string; fraction: string };
  /** Whole and fraction in one text, for sentences. */
  money(text: string): string;
  date(at: string | number): string;
  dateTime(at: string | number): string;
  /** `14:05:21` in the reader's digits. */
  clock(at: string | number): string;
  weekday(at: string | number): string;
  /** One letter, above a column of days. */
  weekdayLetter(at: string | number): string;
  /** The same moment in the other calendar, for a tooltip. */
  elsewhere(at: string | number): string;
  /** Relative under a day, the date beyond. */
  ago(at: string | number): string;
  monthDay(at: string | number): string;
  month(at: string | number): string;
  seconds(milliseconds: number): string;
  bytes(count: number): string;
  /** `131K`, «۱٫۰۵ میلیون»: three digits that count. */
  short(value: number): string;
}

export function useFormat(): Format {
  const { language, calendar, timeZone } = usePreferences();
  return useMemo(() => formatOf(language, calendar, timeZone), [language, calendar, timeZone]);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function formatOf(language: Language, calendar: Calendar, timeZone: string): Format {
  const locale = language === 'fa' ? 'fa-IR' : 'en-GB';
  const numerals = language === 'fa' ? 'arabext' : 'latn';
  const inCalendar = (which: Calendar) =>
    `${language === 'fa' ? 'fa' : 'en-GB'}-u-ca-${which === 'jalali' ? 'persian' : 'gregory'}-nu-${numerals}`;
  const own = inCalendar(calendar);
  const other = inCalendar(calendar === 'jalali' ? 'gregorian' : 'jalali');
  const kept = new Map<string, Intl.DateTimeFormat>();
  const dates = (tag: string, options: Intl.DateTimeFormatOptions) => {
    const id = tag + JSON.stringify(options);
    let found = kept.get(id);
    if (found === undefined) {
      found = new Intl.DateTimeFormat(tag, { timeZone, hourCycle: 'h23', ...options });
      kept.set(id, found);
    }
    return found;
  };
  const relative = new Intl.RelativeTimeFormat(language === 'fa' ? 'fa' : 'en', { numeric: 'auto' });
  const number = (value: number | string, decimals = 6) =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: decimals }).format(value as number);
  // Always two decimals, so that durations in a column can be compared.
  const hundredths = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const compact = new Intl.NumberFormat(language === 'fa' ? 'fa-IR' : 'en-US', {
    notation: 'compact',
    maximumSignificantDigits: 3,
  });
  const comma = language === 'fa' ? '، ' : ', ';
  // The browser writes «۲۵ آبان ۱۴۰۵» from parts in an order of its own; ours is day, month, year in both languages.
  const dayOf = (tag: string, at: Date, year: boolean) => {
    // Beside a chart there is no room for «November»; Persian months have no short form.
    const month = year || language === 'fa' ? 'long' : 'short';
    const parts = dates(tag, { day: 'numeric', month, year: 'numeric' }).formatToParts(at);
    const part = (type: string) => parts.find((found) => found.type === type)?.value ?? '';
    const yearText = part('year') || part('relatedYear');
    return `${part('day')} ${part('month')}${year ? ` ${yearText}` : ''}`;
  };
  const clock = (at: string | number, seconds: boolean) =>
    dates(own, { hour: '2-digit', minute: '2-digit', ...(seconds ? { second: '2-digit' } : {}) }).format(new Date(at));
  const format: Format = {
    language,
    short: (value) => compact.format(value),
    number,
    plain: (value) => new Intl.NumberFormat(locale, { useGrouping: false }).format(value),
    percent: (share, decimals = 0) =>
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: decimals }).format(share),
    amount: (text) => amountParts(text, locale, language),
    money(text) {
      const { whole, fraction } = amountParts(text, locale, language);
      return whole + fraction;
    },
    date: (at) => dayOf(own, new Date(at), true),
    dateTime: (at) => `${dayOf(own, new Date(at), true)}${comma}${clock(at, false)}`,
    clock: (at) => clock(at, true),
    weekday: (at) => dates(own, { weekday: 'long' }).format(new Date(at)),
    weekdayLetter: (at) => dates(own, { weekday: 'narrow' }).format(new Date(at)),
    elsewhere: (at) => `${dayOf(other, new Date(at), true)}${comma}${clock(at, true)}`,
    ago(at) {
      const past = new Date(at).getTime() - Date.now();
      const size = Math.abs(past);
      if (size < MINUTE) return relative.format(Math.round(past / 1000), 'second');
      if (size < HOUR) return relative.format(Math.round(past / MINUTE), 'minute');
      if (size < DAY) return relative.format(Math.round(past / HOUR), 'hour');
      return format.date(at);
    },
    monthDay: (at) => dayOf(own, new Date(at), false),
    month: (at) => dates(own, { month: 'long' }).format(new Date(at)),
    seconds: (milliseconds) => hundredths.format(milliseconds > 0 ? Math.max(milliseconds / 1000, 0.01) : 0),
    bytes(count) {
      const units = language === 'fa' ? ['بایت', 'کیلوبایت', 'مگابایت', 'گیگابایت'] : ['B', 'KB', 'MB', 'GB'];
      const step = count === 0 ? 0 : Math.min(3, Math.floor(Math.log(count) / Math.log(1024)));
      return `${number(count / 1024 ** step, step === 0 ? 0 : 1)} ${units[step] ?? ''}`;
    },
  };
  return format;
}

/** `"-1234.5600"` → whole `−۱٬۲۳۴`, fraction `٫۵۶`. Never through a float. */
function amountParts(text: string, locale: string, language: Language): { whole: string; fraction: string } {
  const negative = text.startsWith('-');
  const [whole = '0', decimals = ''] = text.replace(/^-/, '').split('.');
  const kept = decimals.replace(/0+$/, '');
  const digits = language === 'fa' ? persianDigits(kept) : kept;
  const point = language === 'fa' ? '٫' : '.';
  const grouped = new Intl.NumberFormat(locale).format(BigInt(/^\d+$/.test(whole) ? whole : '0'));
  return { whole: (negative ? '−' : '') + grouped, fraction: kept === '' ? '' : point + digits };
}

/** What a person typed, as ASCII digits and a point: Persian and Arabic digits, both separators, spaces. */
export function plainNumber(typed: string): string {
  return latinDigits(typed)
    .replace(/[٬,\s\u200e\u200f]/g, '')
    .replace(/[٫/]/g, '.')
    .replace(/−/g, '-');
}

/** Toman text as a number, only for lengths of bars and percents. */
export function roughly(text: string | null | undefined): number {
  return text === null || text === undefined ? 0 : Number(text);
}

export function micros(text: string): bigint {
  const [whole = '0', decimals = ''] = text.replace(/^-/, '').split('.');
  const size = BigInt(whole || '0') * 1_000_000n + BigInt(decimals.padEnd(6, '0').slice(0, 6) || '0');
  return text.startsWith('-') ? -size : size;
}

export function fromMicros(value: bigint): string {
  const size = value < 0n ? -value : value;
  const decimals = String(size % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${size / 1_000_000n}${decimals === '' ? '' : `.${decimals}`}`;
}
