/**
 * One spelling for texts that mean the same. Persian is typed with Arabic or Persian letters, with or without the zero-width
 * non-joiner, with three sets of digits; a PDF even delivers letters in their joined shapes. Without this a search finds
 * nothing. Index and question go through the same function, so what it loses, it loses on both sides.
 */

import { latinDigits } from '@dargah/core/persian-text.ts';

const LETTERS: Record<string, string> = {
  ي: 'ی',
  ى: 'ی',
  ئ: 'ی',
  ك: 'ک',
  ة: 'ه',
  ۀ: 'ه',
  ە: 'ه',
  ؤ: 'و',
  أ: 'ا',
  إ: 'ا',
  ٱ: 'ا',
  آ: 'ا',
};
const VARIANT = /[يىئكةۀەؤأإٱآ]/g;
/** Arabic vowel signs, the superscript alef, Quranic marks, the tatweel, and Latin accents after decomposition. */
const MARKS = /[\u0300-\u036f\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/g;
/** Joiners and soft hyphens separate words; direction marks are removed. */
const JOINERS = /[\u200b\u200c\u2060\ufeff\u00ad]|\u200d/g;
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function normalise(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replace(DIRECTION_MARKS, '')
    .replace(JOINERS, ' ')
    .replace(VARIANT, (letter) => LETTERS[letter] ?? letter)
    // Decomposed only after the letters above are single code points, because the hamza of ئ would otherwise be lost.
    .normalize('NFD')
    .replace(MARKS, '')
    .normalize('NFC');
  return latinDigits(plain).toLowerCase();
}
