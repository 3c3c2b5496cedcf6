/** Bounds of what the database keeps: rows end with their time, and an account's answers with its share. */
import { inBatches, type Queryable } from '../../platform/db/index.ts';
import {
  CROWDED_ACCOUNTS,
  DROP_OLDEST_ANSWERS,
  DROP_OLDEST_CLAIMS,
  FORGET_CLAIMS,
  PURGE_EXPIRED_CLAIMS,
} from './claim-purge-sql.ts';

export interface SharedBounds {
  /** Maximum size of one answer; of a longer one only the fact is kept. */
  bytesPerAnswer: number;
  /** Maximum size of all answers of an account; beyond it the oldest lose their bytes and keep the fact. 0 keeps no bytes at all. */
  bytesPerAccount: number;
  /** Maximum number of keys of an account; beyond it the oldest are forgotten. */
  entriesPerAccount: number;
  keepMs: number;
}

export async function purgeExpired(db: Queryable, nowMs: number): Promise<void> {
  await inBatches(() => PURGE_EXPIRED_CLAIMS.rows(db, [nowMs]));
}

/** Deletes the answers of an account that was closed. */
export async function forgetClaims(db: Queryable, accountId: string): Promise<void> {
  await inBatches(() => FORGET_CLAIMS.rows(db, [accountId]));
}

export async function trimEveryAccount(db: Queryable, bounds: SharedBounds): Promise<void> {
  const rows = await CROWDED_ACCOUNTS.rows(db, [bounds.entriesPerAccount, bounds.bytesPerAccount]);
  for (const row of rows) await trimAccount(db, row.account_id, bounds);
}

export async function trimAccount(db: Queryable, accountId: string, bounds: SharedBounds): Promise<void> {
  await inBatches(() => DROP_OLDEST_ANSWERS.rows(db, [accountId, bounds.bytesPerAccount]));
  await inBatches(() => DROP_OLDEST_CLAIMS.rows(db, [accountId, bounds.entriesPerAccount]));
}

/**
 * What this process wrote per account since the account was last trimmed: a look at all accounts once an hour would let a busy
 * one grow far beyond its share.
 */
export class AccountGrowth {
  readonly #written = new Map<string, { bytes: number; entries: number }>();
  readonly #bounds: SharedBounds;

  constructor(bounds: SharedBounds) {
    this.#bounds = bounds;
  }

  /** True when the account should be trimmed now: it grew by a quarter of its share. */
  grew(accountId: string, bytes: number): boolean {
    const written = this.#written.get(accountId) ?? { bytes: 0, entries: 0 };
    written.bytes += bytes;
    written.entries++;
    const { bytesPerAccount, entriesPerAccount } = this.#bounds;
    const due = written.entries * 4 >= entriesPerAccount || (bytes > 0 && written.bytes * 4 >= bytesPerAccount);
    if (due) this.#written.delete(accountId);
    else this.#written.set(accountId, written);
    return due;
  }

  forget(): void {
    this.#written.clear();
  }
}
