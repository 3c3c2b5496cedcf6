/**
 * The chain of seals. A seal's link is an HMAC over the link before it and its own sums, under a key that only the master key
 * opens: it finds accidents and hands in the database, not somebody who also has the master key.
 */
import { createHash, createHmac } from 'node:crypto';
import type { RandomBytes } from '../../core/ids.ts';
import type { SecretBox } from '../../platform/secrets.ts';

export interface SealedSums {
  day: string;
  transfers: bigint;
  late: bigint;
  requests: bigint;
  amount: string;
  charged: string;
  digest: string;
}

const KEY_BYTES = 32;

export function newChainKey(secrets: SecretBox, randomBytes: RandomBytes): string {
  return secrets.seal(Buffer.from(randomBytes(KEY_BYTES)).toString('base64url'));
}

export function chainOf(chainKey: string, former: string, sums: SealedSums): string {
  const { day, transfers, late, requests, amount, charged, digest } = sums;
  const text = [former, day, transfers, late, requests, amount, charged, digest].join('|');
  return createHmac('sha256', Buffer.from(chainKey, 'base64url')).update(text).digest('base64url');
}

/** Covers the sums of hashes: of the day's transfers, and of its rows in money_day. */
export function fingerprintOf(hashes: readonly string[]): string {
  return createHash('sha256').update(hashes.join('|')).digest('hex');
}
