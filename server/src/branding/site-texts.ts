/** Texts of the operator for public pages: terms, privacy, contact. Markdown, in either language or both. */
import { MAX_SITE_TEXT, SITE_PAGES, type SitePage } from '@dargah/core/site-pages.ts';
import type { Text } from '@dargah/core/text.ts';
import { invalidRequest } from '../core/errors.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { reasons } from '../core/reasons.ts';

/** As it is stored. */
export type SiteText = { fa: string | null; en: string | null };

export type SiteTexts = Readonly<Record<SitePage, SiteText>>;

const NO_TEXT: SiteText = { fa: null, en: null };

/** Reads what is stored; a text of the wrong form counts as absent. */
export function readSiteTexts(stored: Json | undefined): SiteTexts {
  const all = isJsonObject(stored) ? stored : {};
  const read = (page: SitePage): SiteText => {
    const one = all[page];
    if (!isJsonObject(one)) return NO_TEXT;
    return { fa: written(one['fa']), en: written(one['en']) };
  };
  return Object.fromEntries(SITE_PAGES.map((page) => [page, read(page)])) as SiteTexts;
}

function written(text: Json | undefined): string | null {
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}

/** Nested quotes are read by recursion, so their depth is bounded; no contract has nine levels. */
const NESTED_QUOTES = /^(?:[ \t]{0,8}>){9}/m;

export function checkSiteText(text: string | null, param: string): string | null {
  if (text === null || text.trim() === '') return null;
  if (text.length > MAX_SITE_TEXT) throw invalidRequest(param, reasons.tooLong(param, MAX_SITE_TEXT));
  if (NESTED_QUOTES.test(text)) throw invalidRequest(param, TOO_NESTED);
  return text;
}

const TOO_NESTED: Text = {
  fa: 'بیش از هشت نقل‌قول تو در تو دارد.',
  en: 'It has more than eight quotes within each other.',
};
