/** What somebody typed, as conditions on tables of words: every word must be the beginning of one that is there. */
import type { Conditions } from './conditions.ts';

/** As `search_form` in the database writes them: Persian letters, Latin digits, small letters. */
function searchForm(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[يىئ]/g, 'ی')
    .replace(/ك/g, 'ک')
    .replace(/[ةۀ]/g, 'ه')
    .replace(/[أإآ]/g, 'ا')
    .replace(/ؤ/g, 'و')
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replace(/\u0640|\0/g, '')
    .replace(/\u200c/g, ' ')
    .toLowerCase();
}

const MAX_WORDS = 6;

/** The words of a search as patterns of `like`; a text without a space (an address, a number, an id) is one word. */
export function wordPatterns(text: string): string[] {
  const typed = searchForm(text).trim();
  // A number is one word, however it is written.
  const isNumber = /^[\d\s()+-]{5,30}$/.test(typed);
  const words = (isNumber ? [typed.replace(/\D/g, '').replace(/^00(?=98)/, '')] : typed.split(/\s+/))
    .map((word) => word.slice(0, 64))
    .filter((word) => word !== '');
  return words.slice(0, MAX_WORDS).map((word) => `${word.replace(/[\\%_]/g, '\\$&')}%`);
}

/** `column in (…)` for each word; `found` is a select with one `§` for the pattern. */
export function addWords(to: Conditions, text: string | undefined, column: string, found: string): void {
  for (const pattern of wordPatterns(text ?? '')) {
    to.parts.push(`${column} in (${found})`);
    to.values.push(...Array.from(found.matchAll(/§/g), () => pattern));
  }
}
