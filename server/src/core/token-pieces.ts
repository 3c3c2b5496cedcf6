/**
 * Which short pieces of text are one token: the common part of the public vocabularies o200k and cl100k
 * (tools/build-token-pieces.mjs). Only a hash of each piece is kept, half a megabyte in all. The hash is keyed with a
 * secret of this process, so that nobody can search for text that collides with a known piece.
 */
import pieces from './data/token-pieces.gen.json' with { type: 'json' };

const SLOT_BITS = 17;
const SLOTS = 2 ** SLOT_BITS;
/** The longest known piece. */
export const LONGEST = 16;
const SEPARATOR = 0x09;
const NEW_LINE = -1;
const SPACE = 32;
const [seedA = 1, factorA = 1, seedB = 1, factorB = 1] = crypto.getRandomValues(new Int32Array(4));
const FACTOR_A = factorA | 1;
const FACTOR_B = factorB | 1;

/** Two hashes, computed letter by letter: the first says which slot to look at, the second what must be found there. */
export const START_A = seedA | 0;
export const START_B = seedB | 0;
export const SPACED_A = hashedA(START_A, SPACE);
export const SPACED_B = hashedB(START_B, SPACE);

/** A hash, and in the lowest bit whether the older vocabulary knows the piece too. 0 is an empty slot. */
const table = new Int32Array(SLOTS);
/** Tokens of one UTF-16 unit outside ASCII when it stands alone, in the newer and in the older vocabulary. */
const alone = new Uint8Array(2 ** 16);
const aloneInOlder = new Uint8Array(2 ** 16);
const asciiPairs = new Uint8Array(2 ** 14);
let isLearned = false;

export function hashedA(hash: number, code: number): number {
  return Math.imul(hash ^ code, FACTOR_A);
}

export function hashedB(hash: number, code: number): number {
  return Math.imul(hash + code, FACTOR_B);
}

/** The highest bits of a product are mixed best. */
function slotOf(hashA: number): number {
  return hashA >>> (32 - SLOT_BITS);
}

/** 0: not one token; 1: one token in the newer vocabulary; 2: in both. */
export function known(hashA: number, hashB: number): 0 | 1 | 2 {
  const wanted = hashB | 1;
  for (let slot = slotOf(hashA); ; slot = (slot + 1) & (SLOTS - 1)) {
    const found = table[slot] as number;
    if (found === 0) return 0;
    if ((found | 1) === wanted) return found & 1 ? 2 : 1;
  }
}

/** Whether this pair of ASCII characters is one token. Called for nearly every character of text without words. */
export function isAsciiPair(first: number, second: number): boolean {
  return asciiPairs[(first << 7) | second] === 1;
}

export function aloneTokens(code: number): number {
  return alone[code] as number;
}

export function aloneTokensInOlder(code: number): number {
  return aloneInOlder[code] as number;
}

/** The length in UTF-8: no text has more tokens than bytes. Half of a surrogate pair counts two of its four bytes. */
function bytesOf(code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) return 2;
  return code < 0x800 ? 2 : 3;
}

/** Done once and not before somebody counts: before that no piece is known. */
export function learnPieces(): void {
  if (isLearned) return;
  isLearned = true;
  for (let code = 128; code < 2 ** 16; code++) alone[code] = aloneInOlder[code] = bytesOf(code);
  learn(pieces.both, true);
  learn(pieces.newer, false);
}

/** Each line is how many units a piece shares with the one before (base 36), and the rest of it. */
function learn(coded: string, inBoth: boolean): void {
  const units = new Uint16Array(LONGEST);
  // The hashes of the piece's beginnings, by their length: what it shares need not be computed again.
  const hashesA = new Int32Array(LONGEST + 1).fill(START_A, 0, 1);
  const hashesB = new Int32Array(LONGEST + 1).fill(START_B, 0, 1);
  const lineEnded = (length: number) => {
    put(hashesA[length] as number, hashesB[length] as number, inBoth);
    if (length === 1) learnAlone(units[0] as number, inBoth);
    else if (length === 2) learnPair(units[0] as number, units[1] as number);
  };
  let length = NEW_LINE;
  for (let at = 0; at < coded.length; at++) {
    const code = coded.charCodeAt(at);
    if (length === NEW_LINE) {
      length = Number.parseInt(coded.charAt(at), 36);
    } else if (code === SEPARATOR) {
      lineEnded(length);
      length = NEW_LINE;
    } else {
      units[length] = code;
      hashesA[length + 1] = hashedA(hashesA[length] as number, code);
      hashesB[length + 1] = hashedB(hashesB[length] as number, code);
      length++;
    }
  }
  lineEnded(length);
}

function learnAlone(unit: number, inBoth: boolean): void {
  alone[unit] = 1;
  if (inBoth) aloneInOlder[unit] = 1;
}

function learnPair(first: number, second: number): void {
  if (first < 128 && second < 128) asciiPairs[(first << 7) | second] = 1;
}

function put(hashA: number, hashB: number, inBoth: boolean): void {
  let slot = slotOf(hashA);
  while (table[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
  // Never returns 0, which marks an empty slot.
  table[slot] = (hashB & ~1 || 2) | (inBoth ? 1 : 0);
}
