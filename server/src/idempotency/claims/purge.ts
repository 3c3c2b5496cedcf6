/** Bounds of what the database keeps: rows end with their time, and an account's answers with its share. */
import { inBatches, type Queryable, ROWS_PER_STATEMENT } from '../../platform/db/index.ts';

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
  await inBatches(() =>
    db.query(
      `delete from idempotency_claim where id in (
         select id from idempotency_claim
          where expires_at <= to_timestamp($1 / 1000.0) and (state = 'done' or lease_until < now()) limit ${ROWS_PER_STATEMENT})
       returning id`,
      [nowMs],
    ),
  );
}

/** Deletes the answers of an account that was closed. */
export async function forgetClaims(db: Queryable, accountId: string): Promise<void> {
  await inBatches(() =>
    db.query(
      `delete from idempotency_claim where id in (
         select id from idempotency_claim where account_id = $1 and state = 'done' limit ${ROWS_PER_STATEMENT}) returning id`,
      [accountId],
    ),
  );
}

export async function trimEveryAccount(db: Queryable, bounds: SharedBounds): Promise<void> {
  const rows = await db.query<{ account_id: string }>(
    `select account_id from idempotency_claim group by account_id
     having count(*) > $1 or sum(answer_bytes) > $2 limit 1000`,
    [bounds.entriesPerAccount, bounds.bytesPerAccount],
  );
  for (const row of rows) await trimAccount(db, row.account_id, bounds);
}

export async function trimAccount(db: Queryable, accountId: string, bounds: SharedBounds): Promise<void> {
  await inBatches(() =>
    db.query(
      `update idempotency_claim set answer_head = null, answer_body = null, answer_bytes = 0 where id in (
         select id from (select id, created_at, sum(answer_bytes) over (order by created_at desc, id desc) as total
                           from idempotency_claim where account_id = $1 and answer_bytes > 0) placed
          where total > $2 order by created_at, id limit ${ROWS_PER_STATEMENT})
       returning id`,
      [accountId, bounds.bytesPerAccount],
    ),
  );
  await inBatches(() =>
    db.query(
      `delete from idempotency_claim where id in (
         select id from idempotency_claim where account_id = $1 and state = 'done'
          order by created_at desc, id desc offset $2 limit ${ROWS_PER_STATEMENT})
       returning id`,
      [accountId, bounds.entriesPerAccount],
    ),
  );
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
