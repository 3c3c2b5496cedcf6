/** Identifiers: sortable by time, random enough never to meet, safe in URLs and log greps. */

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Fills bytes with randomness; injected, so that a seeded run repeats itself. */
export type RandomBytes = (count: number) => Uint8Array;

/** `prefix_` + 9 characters of time + 16 characters (80 bits) of chance. */
export function makeId(prefix: string, nowMs: number, randomBytes: RandomBytes): string {
  let time = '';
  let rest = nowMs;
  for (let i = 0; i < 9; i++) {
    time = (ALPHABET[rest % 32] as string) + time;
    rest = Math.floor(rest / 32);
  }
  let chance = '';
  for (const byte of randomBytes(16)) chance += ALPHABET[byte & 31];
  return `${prefix}_${time}${chance}`;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Uniform base62 text; bytes of 248 and above are thrown away, since 256 is not a multiple of 62. */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}
