/**
 * Counts tokens without a tokenizer: one pass that knows where tokenizers cut text and which short pieces are one token
 * (token-pieces.ts). Exact tokenizers are quadratic on unbroken runs (a 1 MB "aaaa" hangs them for a minute) and much
 * more expensive. No text may be counted far too low, since a hold rests on it: what is not known to be one token is counted in
 * short pieces, single characters or bytes. test/core/token-estimate-attack.test.ts searches for text that escapes.
 */
import {
  aloneTokens,
  aloneTokensInOlder,
  hashedA,
  hashedB,
  isAsciiPair,
  known,
  LONGEST,
  learnPieces,
  SPACED_A,
  SPACED_B,
  START_A,
  START_B,
} from './token-pieces.ts';

/** How many characters are read at a time; a longer text is counted in slices. */
export const SLICE = 65_536;

export interface TokenCount {
  /** The count by newer vocabularies. */
  likely: number;
  /** The count by older or smaller vocabularies: higher for every script but Latin. Holds are made of this. */
  max: number;
}

export function estimateTokens(text: string): number {
  return countTokens(text).likely;
}

/** Reads all of the text at once. Where other requests wait meanwhile, count it slice by slice (SlicedCount). */
export function countTokens(text: string): TokenCount {
  const { length } = text;
  if (length === 0) return { likely: 0, max: 0 };
  if (length > SLICE) return countLong(text);
  weighPart(text, 0, length);
  return { likely: Math.max(1, Math.ceil(likely / TOKEN)), max: Math.max(1, Math.ceil(max / TOKEN)) };
}

function countLong(text: string): TokenCount {
  const count = new SlicedCount(text);
  while (!count.isDone) count.readSlice();
  return count.total();
}

/** Counts a text in slices, so that other requests are served between two of them. */
export class SlicedCount {
  readonly #text: string;
  #at = 0;
  #likely = 0;
  #max = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isDone(): boolean {
    return this.#at >= this.#text.length;
  }

  readSlice(): void {
    const to = Math.min(this.#at + SLICE, this.#text.length);
    weighPart(this.#text, this.#at, to);
    this.#at = to;
    this.#likely += likely;
    this.#max += max;
  }

  /** The count of what was read so far. */
  total(): TokenCount {
    return { likely: Math.ceil(this.#likely / TOKEN), max: Math.ceil(this.#max / TOKEN) };
  }
}

/** Tokens of one stretch of at most SLICE characters, which need not begin or end at a word boundary. */
export function countStretch(text: string, from: number, to: number): TokenCount {
  weighPart(text, from, to);
  return { likely: likely / TOKEN, max: max / TOKEN };
}

const LETTER = 1;
const DIGIT = 2;
const BLANK = 3;
const MARK = 4;
const BEYOND = 5;
const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const KINDS = new Uint8Array(2 ** 16).fill(BEYOND);
KINDS.fill(MARK, 0, 128);
for (let code = 0; code < 128; code++) {
  if (code === SPACE || (code >= 9 && code <= RETURN)) KINDS[code] = BLANK;
  else if (code >= 48 && code <= 57) KINDS[code] = DIGIT;
  else if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) KINDS[code] = LETTER;
}
/** Blanks of which a whole run is one token. */
const RUNS = new Uint8Array(128);
for (const code of [9, NEWLINE, SPACE]) RUNS[code] = 1;

/** Tokens are summed in twentieths, as integers: sums of fractions would allocate on the heap at every addition. */
const TOKEN = 20;
const DIGITS_PER_TOKEN = 3;
/** Longer runs of punctuation are not looked up. */
const MAX_MARKS = 4;
/**
 * Text that is no known piece is counted in known pairs. Tokenizers mostly find longer pieces there, but leave single
 * letters where the pairs do not fit together.
 */
const LIKELY_PER_PAIR = 14;
const MAX_PER_PAIR = 28;
/**
 * Outside ASCII, letters are counted one by one where only the newer vocabulary knows words; the estimate may still be
 * a little low.
 */
const MAX_PER_UNIT = 22;

function kindAt(at: number): number {
  return KINDS[units[at] as number] as number;
}

// Text is copied here as numbers, because reading its characters one by one is slower.
const units = new Uint16Array(SLICE + 1);
const written = Buffer.from(units.buffer);
/** Up to this length reading the characters one by one is faster than copying them into `units`. */
const FEW_UNITS = 24;

// The sums of the present pass are variables of the module, because returning a pair from every function would cost more than
// counting.
let likely = 0;
let max = 0;

/** Includes the character before the slice, which decides how the first word begins. */
function weighPart(text: string, from: number, to: number): void {
  learnPieces();
  const before = from === 0 ? 0 : 1;
  const part = from === 0 && to === text.length ? text : text.slice(from - before, to);
  if (part.length > FEW_UNITS) written.write(part, 'utf16le');
  else for (let at = 0; at < part.length; at++) units[at] = part.charCodeAt(at);
  weigh(before, before + to - from);
}

function weigh(from: number, to: number): void {
  likely = 0;
  max = 0;
  for (let at = from; at < to; ) {
    const kind = kindAt(at);
    const spaced = at > from && (units[at - 1] as number) === SPACE;
    if (kind === LETTER) at = weighWords(at, to, spaced);
    else if (kind === BLANK) at = isOneSpace(at, to) ? at + 1 : weighBlanks(at, to);
    else if (kind === MARK) at = weighMarks(at, to, spaced);
    else if (kind === DIGIT) at = weighDigits(at, to);
    else at = weighBeyond(at, to, spaced);
  }
}

/** A single space is part of the word that follows, so it counts nothing. */
function isOneSpace(at: number, to: number): boolean {
  return (units[at] as number) === SPACE && at + 1 < to && kindAt(at + 1) === LETTER;
}

/** Returns where the word ends. */
function weighed(parts: number, end: number): number {
  likely += parts;
  max += parts;
  return end;
}

/**
 * Words with single spaces between them, which most text consists of. A word ends where a capital follows a small
 * letter, as in `camelCase`.
 */
function weighWords(first: number, to: number, firstSpaced: boolean): number {
  let whole = 0;
  let spaced = firstSpaced;
  for (let from = first; ; spaced = true) {
    let hashA = spaced ? SPACED_A : START_A;
    let hashB = spaced ? SPACED_B : START_B;
    let at = from;
    let small = false;
    for (; at < to; at++) {
      const code = units[at] as number;
      if (code >= 97 && code <= 122) small = true;
      else if (code < 65 || code > 90 || small) break;
      hashA = hashedA(hashA, code);
      hashB = hashedB(hashB, code);
    }
    if (at - from >= LONGEST || known(hashA, hashB) !== 2) weighPairs(from, at, spaced);
    else {
      whole += TOKEN;
      // The older vocabulary does not split there, and may split elsewhere.
      if (from > 0 && kindAt(from - 1) === LETTER) max += MAX_PER_PAIR - TOKEN;
    }
    if (!isOneSpace(at, to)) return weighed(whole, at);
    from = at + 1;
  }
}

function weighPairs(from: number, to: number, spaced: boolean): number {
  // A space that belongs to the first character breaks the first pair apart.
  const torn = spaced ? (isKnownSpaced(from) ? 1 : 2) : 0;
  if (to - from === 1) return weighed(torn === 2 ? 2 * TOKEN : TOKEN, to);
  let pairs = 0;
  for (let at = from; at < to; pairs++) at += at + 1 < to && isKnownPair(at) ? 2 : 1;
  likely += pairs * LIKELY_PER_PAIR + torn * (LIKELY_PER_PAIR / 2);
  max += pairs * MAX_PER_PAIR + torn * (MAX_PER_PAIR / 2);
  return to;
}

/** True when this character together with the space before it is one token. */
function isKnownSpaced(at: number): boolean {
  const code = units[at] as number;
  return known(hashedA(SPACED_A, code), hashedB(SPACED_B, code)) !== 0;
}

function isKnownPair(at: number): boolean {
  const first = units[at] as number;
  const second = units[at + 1] as number;
  if (first < 128 && second < 128) return isAsciiPair(first, second);
  return known(hashedA(hashedA(START_A, first), second), hashedB(hashedB(START_B, first), second)) !== 0;
}

function weighDigits(from: number, to: number): number {
  let at = from + 1;
  while (at < to && kindAt(at) === DIGIT) at++;
  return weighed(Math.ceil((at - from) / DIGITS_PER_TOKEN) * TOKEN, at);
}

/**
 * One token for every stretch of the same blank. The last blank before something else stands apart, unless it ends a line;
 * a space goes with the word or mark that follows.
 */
function weighBlanks(from: number, to: number): number {
  let at = from;
  let stretches = 0;
  let length = 0;
  let previous = -1;
  for (; at < to && kindAt(at) === BLANK; at++) {
    const code = units[at] as number;
    length = code === previous && RUNS[code] === 1 ? length + 1 : 1;
    if (length === 1) stretches += code === NEWLINE && previous === RETURN ? 0 : TOKEN;
    else if (code === NEWLINE) stretches += length > 2 ? TOKEN / 2 : 0;
    else if (length % LONGEST === 0) stretches += TOKEN;
    previous = code;
  }
  const next = at < to ? kindAt(at) : BLANK;
  if (next === BLANK || previous === NEWLINE || previous === RETURN) return weighed(stretches, at);
  const joins = previous === SPACE && next !== DIGIT;
  return weighed(stretches + (length > 1 ? TOKEN : 0) - (joins ? TOKEN : 0), at);
}

/**
 * A run of punctuation is one token when it is known as a whole, with the line ends after it; otherwise it is counted
 * in pairs.
 */
function weighMarks(from: number, to: number, spaced: boolean): number {
  let hashA = spaced ? SPACED_A : START_A;
  let hashB = spaced ? SPACED_B : START_B;
  let end = from;
  for (; end < to && kindAt(end) === MARK; end++) {
    hashA = hashedA(hashA, units[end] as number);
    hashB = hashedB(hashB, units[end] as number);
  }
  if (end - from > MAX_MARKS) return weighPairs(from, end, spaced);
  let at = known(hashA, hashB) === 2 ? end : -1;
  for (let next = end; next < to && next < end + 2 && (units[next] as number) === NEWLINE; next++) {
    hashA = hashedA(hashA, NEWLINE);
    hashB = hashedB(hashB, NEWLINE);
    if (known(hashA, hashB) === 2) at = next + 1;
  }
  return at < 0 ? weighPairs(from, end, spaced) : weighed(TOKEN, at);
}

function weighBeyond(from: number, to: number, spaced: boolean): number {
  let hashA = spaced ? SPACED_A : START_A;
  let hashB = spaced ? SPACED_B : START_B;
  let at = from;
  let inOlder = spaced ? 1 : 0;
  for (; at < to; at++) {
    const code = units[at] as number;
    if (code < 128) break;
    hashA = hashedA(hashA, code);
    hashB = hashedB(hashB, code);
    inOlder += aloneTokensInOlder(code);
  }
  const found = at - from < LONGEST ? known(hashA, hashB) : 0;
  if (found === 2) return weighed(TOKEN, at);
  if (found === 1) {
    likely += TOKEN;
    max += inOlder * TOKEN;
    return at;
  }
  const pairs = pairsBeyond(from, at, spaced);
  likely += pairs * LIKELY_PER_PAIR;
  max += Math.max(pairs * MAX_PER_PAIR, inOlder * MAX_PER_UNIT);
  return at;
}

function pairsBeyond(from: number, to: number, spaced: boolean): number {
  let tokens = spaced && !isKnownSpaced(from) ? 1 : 0;
  for (let at = from; at < to; ) {
    const pair = at + 1 < to && isKnownPair(at);
    tokens += pair ? 1 : aloneTokens(units[at] as number);
    at += pair ? 2 : 1;
  }
  return tokens;
}
