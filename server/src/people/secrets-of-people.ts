/** Secrets that people carry: cookies, invitations, tickets, management keys. 256 bits each; only digests are stored. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { type RandomBytes, randomBase62 } from '../core/ids.ts';

export function makeSecret(randomBytes: RandomBytes): string {
  return randomBase62(43, randomBytes);
}

/** A slow hash protects nothing that has 256 random bits. */
export function digestOfSecret(secret: string): Buffer {
  return Buffer.from(hash('sha256', secret, 'base64'), 'base64');
}

/** A code has a million values, so its digest is keyed: a copy of the table does not reveal it. */
export function digestOfCode(pepper: string, contact: string, purpose: string, code: string): Buffer {
  return createHmac('sha256', pepper).update(`${purpose}\n${contact}\n${code}`).digest();
}

export function sameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The code that a stored seed stands for. The table without the master key does not reveal it. */
export function codeOfSeed(
  pepper: string,
  { value, purpose }: { value: string; purpose: string },
  seed: Uint8Array,
  digits: number,
): string {
  const hmac = createHmac('sha256', pepper).update(`code of a seed\n${purpose}\n${value}\n`).update(seed);
  // 256 bits are reduced to at most 10^12 values, so the bias is too small to be measured.
  return (BigInt(`0x${hmac.digest('hex')}`) % 10n ** BigInt(digits)).toString().padStart(digits, '0');
}
