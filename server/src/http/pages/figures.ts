/** Numbers, amounts and dates as a reader of the language writes them. Days and hours are those of Tehran. */

import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { persianDigits } from '@dargah/core/persian-text.ts';
import type { Language } from '@dargah/core/text.ts';
import { type Money, toTomanText } from '../../core/money.ts';
import { html, type Markup } from './markup.ts';

/** Making a formatter costs more than a whole row of a table. */
const NUMBERS: Record<Language, Intl.NumberFormat> = {
  fa: new Intl.NumberFormat('fa-IR', { maximumFractionDigits: 6 }),
  en: new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 }),
};
/** 131,072 → `131K`, «۱۳۱ هزار»; 1,048,576 → `1.05M`, «۱٫۰۵ میلیون». */
const SHORT = { notation: 'compact', maximumSignificantDigits: 3 } as const;
const SHORT_NUMBERS: Record<Language, Intl.NumberFormat> = {
  fa: new Intl.NumberFormat('fa-IR', SHORT),
  en: new Intl.NumberFormat('en-US', SHORT),
};
const ZONE = { timeZone: HOME_ZONE, hourCycle: 'h23' } as const;
const TAGS: Record<Language, string> = { fa: 'fa-u-ca-persian-nu-arabext', en: 'en-GB-u-ca-gregory-nu-latn' };
const day = (language: Language) =>
  new Intl.DateTimeFormat(TAGS[language], { ...ZONE, day: 'numeric', month: 'long', year: 'numeric' });
const time = (language: Language) =>
  new Intl.DateTimeFormat(TAGS[language], { ...ZONE, hour: '2-digit', minute: '2-digit' });
const DAYS = { fa: day('fa'), en: day('en') };
const TIMES = { fa: time('fa'), en: time('en') };

export function count(value: number | bigint | string, language: Language): string {
  // Decimal text is formatted exactly; a number of that size would be rounded first.
  return NUMBERS[language].format(value as number);
}

export function shortCount(value: number, language: Language): string {
  return SHORT_NUMBERS[language].format(value);
}

const LISTS = {
  conjunction: {
    fa: new Intl.ListFormat('fa', { type: 'conjunction' }),
    en: new Intl.ListFormat('en', { type: 'conjunction' }),
  },
  unit: { fa: new Intl.ListFormat('fa', { type: 'unit' }), en: new Intl.ListFormat('en', { type: 'unit' }) },
};

/** `متن، تصویر و فایل`: no comma stands before «و» in Persian. */
export function listText(
  parts: readonly string[],
  language: Language,
  type: keyof typeof LISTS = 'conjunction',
): string {
  const text = LISTS[type][language].format(parts);
  return language === 'fa' ? text.replace(/\u200f/g, '').replace('، و ', ' و ') : text;
}

/** `99.94`, never rounded up to a hundred while anything failed. */
export function percent(share: number, language: Language): string {
  const cut = Math.floor(share * 10_000) / 100;
  return count(cut, language);
}

export function percentText(share: number, language: Language): string {
  return `${percent(share, language)}${language === 'fa' ? '٪' : '%'}`;
}

/** «۲۵ آبان ۱۴۰۵»: the parts come in an order of their own, so they are put together here. */
export function dateText(atMs: number, language: Language, withYear = true): string {
  const parts = DAYS[language].formatToParts(new Date(atMs));
  const part = (type: string) => parts.find((found) => found.type === type)?.value ?? '';
  const year = part('year') || part('relatedYear');
  return `${part('day')} ${part('month')}${withYear ? ` ${year}` : ''}`;
}

export function dateTimeText(atMs: number, language: Language): string {
  const comma = language === 'fa' ? '، ' : ', ';
  return `${dateText(atMs, language)}${comma}${TIMES[language].format(new Date(atMs))}`;
}

/** A moment, with its exact form for machines. */
export function moment(atMs: number, text: string): Markup {
  return html`<time datetime="${new Date(atMs).toISOString()}">${text}</time>`;
}

/** Shows whole toman in ink and the fraction smaller, exactly, and left to right, as digits run in both scripts. */
export function tomanMarkup(amount: Money, language: Language): Markup {
  const [whole = '0', fraction] = toTomanText(amount).split('.', 2);
  const point = language === 'fa' ? '٫' : '.';
  const digits = fraction === undefined ? undefined : inDigits(fraction, language);
  return html`<bdi class="amt" dir="ltr">${count(whole, language)}${digits === undefined ? undefined : html`<small>${point}${digits}</small>`}</bdi>`;
}

function inDigits(text: string, language: Language): string {
  return language === 'fa' ? persianDigits(text) : text;
}

/** `0.71`: seconds with two digits. */
export function seconds(ms: number, language: Language): string {
  return count(Math.round(ms / 10) / 100, language);
}
