/** Identifiers: sortable by time, random enough never to collide, safe in URLs and log searches. */

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Fills bytes with randomness; injected, so that a seeded run repeats itself. */
export type RandomBytes = (count: number) => Uint8Array;

/** Two characters for every ten bits: half as many pieces to join. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => `${ALPHABET[bits >> 5]}${ALPHABET[bits & 31]}`);

/** Many ids are made in the same millisecond, so the text of its time is cached. */
let lastTime = { atMs: -1, text: '' };

/** `prefix_` + 9 characters of time + 16 characters (80 bits) of chance. */
export function makeId(prefix: string, nowMs: number, randomBytes: RandomBytes): string {
  if (lastTime.atMs !== nowMs) lastTime = { atMs: nowMs, text: timeText(nowMs) };
  const chance = randomBytes(16);
  let text = `${prefix}_${lastTime.text}`;
  for (let i = 0; i < 16; i += 2) {
    text += PAIRS[(((chance[i] as number) & 31) << 5) | ((chance[i + 1] as number) & 31)];
  }
  return text;
}

/**
 * For things that staff make and that every row of the log then names (prices, credentials): `prefix_` + 9 characters of time + 7
 * (35 bits) of chance, which are enough for what is made in one millisecond.
 */
export function makeShortId(prefix: string, nowMs: number, randomBytes: RandomBytes): string {
  let text = `${prefix}_${timeText(nowMs)}`;
  for (const byte of randomBytes(7)) text += ALPHABET[byte & 31];
  return text;
}

/** A lower bound: no id made at or after this moment sorts before it. */
export function firstIdAt(prefix: string, nowMs: number): string {
  return `${prefix}_${timeText(nowMs)}`;
}

/** The moment an id was made at; undefined for texts that are not ids of ours. */
export function timeOfId(id: string): number | undefined {
  const text = /^[a-z]{1,10}_([0-9A-HJKMNP-TV-Z]{9})/.exec(id)?.[1];
  if (text === undefined) return undefined;
  return [...text].reduce((ms, letter) => ms * 32 + ALPHABET.indexOf(letter), 0);
}

/** The last moment that nine characters can express, in the year 3084. */
export const LAST_MS = 32 ** 9 - 1;

function timeText(nowMs: number): string {
  let text = '';
  let rest = nowMs;
  for (let i = 0; i < 9; i++) {
    text = (ALPHABET[rest % 32] as string) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Uniform base62 text. Bytes of 248 and above are discarded, since 256 is not a multiple of 62. */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}
