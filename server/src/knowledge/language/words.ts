/** The words of a text as the index stores them: normalised, stemmed, without stop words. */

import porter2 from 'wink-porter2-stemmer';
import { boundedCache } from '../../platform/bounded-cache.ts';
import { normalise } from './normalise.ts';
import { stemPersian } from './persian-stem.ts';

const PIECE = /[\p{L}\p{N}]+/gu;
const ARABIC_SCRIPT = /[\u0600-\u06ff]/;
const LATIN = /^[a-z]+$/;
/** Longer runs are hashes or base64: nobody searches for them, and each would be a word of its own. */
const MAX_WORD_CHARS = 40;

/** In spelling after `normalise`. */
const STOP_WORDS = new Set(
  (
    'a an the and or but if of in on at to for from by with as is are was were be been being am do does did has have had ' +
    'it its this that these those he she they them their his her you your we our i my me us not no so than then there ' +
    'what which who whom whose when where why how can could should would will shall may might must about into over ' +
    'و در به از که این ان را با برای یک تا یا هم است هست بود باشد شد شود شده می نمی ها های هایی ای ی ام ات اش اند اید ایم ' +
    'بر اما اگر چه چی چرا چگونه چطور کجا کی کدام ایا هر نیز پس بی خود او ما شما انها ایشان من تو دارد دارند داشت داشته کرد ' +
    'کند کنند کنم کنیم کنید کرده کردن شدن بودن باید نباید تواند توان شوند نیست هستند بودند دیگر همه چند چقدر چنین'
  ).split(' '),
);

/** In the order of the text, with repetitions. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [piece] of normalise(text).matchAll(PIECE)) {
    if (piece.length > MAX_WORD_CHARS || STOP_WORDS.has(piece)) continue;
    const stem = stemOf(piece);
    if (stem.length > 1 || /\p{N}/u.test(stem)) words.push(stem);
  }
  return words;
}

/** Stems are kept, because texts repeat their words and stemming is slower than a look-up. */
const known = boundedCache<string>(20_000);

function stemOf(piece: string): string {
  let stem = known.get(piece);
  if (stem !== undefined) return stem;
  stem = findStem(piece);
  known.set(piece, stem);
  return stem;
}

function findStem(piece: string): string {
  if (ARABIC_SCRIPT.test(piece)) return stemPersian(piece);
  return LATIN.test(piece) ? stemEnglish(piece) : piece;
}

/** Porter2: one stem for the usual bends of a word, different ones for different words. */
export function stemEnglish(word: string): string {
  return porter2(word);
}
