/** Secrets that people carry: cookies, invitations, tickets, management keys. 256 bits each; only digests are stored. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { type RandomBytes, randomBase62 } from '../core/ids.ts';

export function makeSecret(randomBytes: RandomBytes): string {
  return randomBase62(43, randomBytes);
}

/** With 256 bits of chance there is nothing a slow hash could protect. */
export function digestOfSecret(secret: string): Buffer {
  return Buffer.from(hash('sha256', secret, 'base64'), 'base64');
}

/** A code has a million values: its digest is keyed, so that a copy of the table does not tell it. */
export function digestOfCode(pepper: string, contact: string, purpose: string, code: string): Buffer {
  return createHmac('sha256', pepper).update(`${purpose}\n${contact}\n${code}`).digest();
}

export function sameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Uniform digits; bytes of 250 and above are thrown away, since 256 is not a multiple of 10. */
export function randomDigits(count: number, randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < count)
    for (const byte of randomBytes(count)) if (byte < 250 && text.length < count) text += String(byte % 10);
  return text;
}
