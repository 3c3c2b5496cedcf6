/**
 * The text of an API key: `dg-`, 43 random base62 characters (256 bits) and 6 characters of checksum. The checksum tells a
 * mistyped key without asking the database, and lets secret scanners recognise a leaked one. It is no proof of anything.
 * Stored is only the SHA-256 of the whole text: with 256 bits of chance there is nothing a slow hash could protect.
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type RandomBytes, randomBase62 } from '../core/ids.ts';

const KEY_PREFIX = 'dg-';
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const GENERATED = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Given keys (config, bootstrap) may be any visible ASCII in these bounds; nothing longer is ever hashed. */
const GIVEN = /^[!-~]{8,200}$/;

export function makeKeyText(randomBytes: RandomBytes): string {
  const body = KEY_PREFIX + randomBase62(SECRET_LENGTH, randomBytes);
  return body + checksum(body);
}

/** Could a key have this text? False for mistyped generated keys and for what cannot travel in a header. */
export function isPlausibleKeyText(text: string): boolean {
  if (GENERATED.test(text)) return text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
  return GIVEN.test(text);
}

/** The digest as base64, for use as a map's key. */
export function digestText(text: string): string {
  return hash('sha256', text, 'base64');
}

export function digestBytes(digest: string): Buffer {
  return Buffer.from(digest, 'base64');
}

/** What may be shown of a key for ever: never more than a few characters, and of a short given key only its ending. */
export function displayParts(text: string): { prefix: string; last4: string } {
  if (text.length < 24) return { prefix: '', last4: text.slice(-2) };
  return { prefix: text.slice(0, KEY_PREFIX.length + 4), last4: text.slice(-4) };
}

/** CRC-32 in base62; 62⁶ is more than 2³², so six characters always hold it. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = (BASE62[rest % 62] as string) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
