/**
 * The words of a base that are similar to one it does not have: misspellings, and inflections that the stemmer does not
 * know. They are compared here, by the letters they share, over the base's own words, because an index in the database
 * would contain those of all bases. Used only for words that no passage has; read when first needed and cached, within
 * a limit.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/clock.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { SearchedBase } from '../store/base-rows.ts';
import { VOCABULARY } from './search-sql.ts';

export interface Alike {
  form: string;
  /** The part of their groups of three letters that two words share. */
  likeness: number;
}

export interface Vocabularies {
  /** For each word those that look like it, most alike first. */
  alike(base: SearchedBase, words: readonly string[]): Promise<Map<string, Alike[]>>;
}

interface Vocabulary {
  version: bigint;
  readAt: number;
  words: string[];
  /** Two halves per word: a bit for each of its groups of letters. */
  marks: Int32Array;
  /** How many groups each has; one that stands in it twice is counted twice. */
  groups: Uint8Array;
}

const MIN_LIKENESS = 0.45;
const MAX_BYTES = 12 * 1024 * 1024;
/** The memory of a word here, with its marks. */
const BYTES_PER_WORD = 72;
const MAX_WORDS = 100_000;
/**
 * Small vocabularies are read again with every change; larger ones after a while, since a new word is rarely searched
 * misspelt at once.
 */
const FEW_WORDS = 5_000;
const KEPT_MS = 30_000;
const BLANK = 0x20;
const MAX_GROUPS = 255;

export function createVocabularies(db: Queryable, clock: Clock): Vocabularies {
  const kept = new LRUCache<string, Vocabulary>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ words }) => 1 + words.length * BYTES_PER_WORD,
  });
  const load = async (base: SearchedBase): Promise<Vocabulary> => {
    const known = kept.get(base.id);
    if (known?.version === base.version) return known;
    if (known && known.words.length > FEW_WORDS && clock.monotonicMs() - known.readAt < KEPT_MS) return known;
    const fresh = vocabularyOf(await readWords(db, base.id), base.version, clock.monotonicMs());
    kept.set(base.id, fresh);
    return fresh;
  };
  return {
    async alike(base, words) {
      const vocabulary = await load(base);
      return new Map(words.map((word) => [word, lookAlikes(vocabulary, word)]));
    },
  };
}

async function readWords(db: Queryable, baseId: string): Promise<string[]> {
  const row = await VOCABULARY.first(db, [baseId, MAX_WORDS]);
  return row?.words ? row.words.split(' ') : [];
}

function vocabularyOf(words: string[], version: bigint, readAt: number): Vocabulary {
  const marks = new Int32Array(words.length * 2);
  const groups = new Uint8Array(words.length);
  words.forEach((word, at) => {
    groups[at] = Math.min(word.length + 1, MAX_GROUPS);
    const [low, high] = marksOf(word);
    marks[at * 2] = low;
    marks[at * 2 + 1] = high;
  });
  return { version, readAt, words, marks, groups };
}

function lookAlikes({ words, marks, groups }: Vocabulary, asked: string): Alike[] {
  const own = groupsOf(asked);
  const [low, high] = marksOf(asked);
  // Groups that share a bit with another of the same word: so many more may be shared than bits are.
  const hidden = own.size - bitsOf(low) - bitsOf(high);
  const found: Alike[] = [];
  for (let at = 0; at < words.length; at++) {
    const most = hidden + bitsOf(low & (marks[at * 2] as number)) + bitsOf(high & (marks[at * 2 + 1] as number));
    if (most < (MIN_LIKENESS * (own.size + (groups[at] as number))) / (1 + MIN_LIKENESS)) continue;
    const form = words[at] as string;
    const likeness = likenessOf(own, groupsOf(form));
    if (likeness >= MIN_LIKENESS) found.push({ form, likeness });
  }
  return found.sort((a, b) => b.likeness - a.likeness || (a.form < b.form ? -1 : 1));
}

/** Three letters each, with two blanks before the word and one after it: its beginning counts more than its end. */
function groupsOf(word: string): Set<string> {
  const padded = `  ${word} `;
  const groups = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at++) groups.add(padded.slice(at, at + 3));
  return groups;
}

/** Without a set and without a string per group: it is done for every word of a base. */
function marksOf(word: string): [low: number, high: number] {
  let low = 0;
  let high = 0;
  let [first, second] = [BLANK, BLANK];
  for (let at = 0; at <= word.length; at++) {
    const third = at < word.length ? word.charCodeAt(at) : BLANK;
    const bit = Math.imul((first * 31 + second) * 31 + third, 0x9e3779b1) >>> 26;
    if (bit < 32) low |= 1 << bit;
    else high |= 1 << (bit - 32);
    first = second;
    second = third;
  }
  return [low, high];
}

function bitsOf(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const group of a) if (b.has(group)) shared++;
  return shared / (a.size + b.size - shared);
}
