/**
 * Answers that broke the guarantee are free (ADR 0069): the charge stays, and a credit of a kind of its own gives it back. What is owed
 * is written down with the charge, before the journal forgets it, and decided once; how many are free is counted in the database, so
 * that the bound of a day holds over all replicas.
 */
import type { CreditState } from '@dargah/core/guarantee-states.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { type Money, money } from '../core/money.ts';
import { walletBudget } from '../keys/index.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import type { Log } from '../platform/log.ts';
import { decodeRecord } from '../requestlog/index.ts';
import { bookLines } from './booking.ts';

export interface GuaranteeCreditsOptions {
  db: Database;
  clock: Clock;
  log: Log;
  /** Free answers of an account in a day. */
  limit(): Promise<number>;
  detach(work: Promise<void>): void;
}

interface OwedRow {
  request_id: string;
  account_id: string;
  day: string;
  amount: string;
}

const BATCH = 100;

export class GuaranteeCredits {
  readonly #options: GuaranteeCreditsOptions;

  constructor(options: GuaranteeCreditsOptions) {
    this.#options = options;
  }

  /** Writes down what posted lines owe. Harmless to repeat: a batch is posted again after a crash. */
  async put(lines: readonly string[]): Promise<void> {
    const { db, clock, detach } = this.#options;
    const owed = lines.flatMap((line) => decodeRecord(line) ?? []).filter(isOwed);
    if (owed.length === 0) return;
    await db.query(
      `insert into guarantee_credit (request_id, account_id, day, amount, created_at)
       select id, account_id, home_day($4::timestamptz), amount::numeric, $4
       from unnest($1::text[], $2::text[], $3::text[]) as owed (id, account_id, amount)
       where exists (select from account where account.id = owed.account_id)
       on conflict (request_id) do nothing`,
      [
        owed.map(({ id }) => id),
        owed.map(({ accountId }) => accountId),
        owed.map(({ cost }) => String(cost)),
        new Date(clock.now()),
      ],
    );
    detach(this.creditWaiting());
  }

  /** Decides what waits; what a process left that was killed is found here too. */
  async creditWaiting(): Promise<void> {
    const { db, limit } = this.#options;
    const waiting = await db.query<OwedRow>(
      `select request_id, account_id, day::text as day, amount::text as amount from guarantee_credit
       where state = 'waiting' order by created_at limit ${BATCH}`,
    );
    if (waiting.length === 0) return;
    const most = await limit();
    for (const row of waiting) await this.#decide(row, most);
  }

  async #decide(row: OwedRow, most: number): Promise<void> {
    const { db, clock, log } = this.#options;
    const decidedAt = new Date(clock.now());
    try {
      await db.transaction(async (tx) => {
        if (!(await isStillWaiting(tx, row))) return;
        const isFree = await countFree(tx, row, most);
        if (isFree) await this.#book(tx, row);
        await decided(tx, row, isFree ? 'credited' : 'over', decidedAt);
      });
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'conflict') throw error;
      // Staff gave it back before: no request gets back more than it cost.
      log.info({ requestId: row.request_id }, 'a broken answer had been refunded by hand');
      await decided(db, row, 'refunded', decidedAt);
    }
  }

  async #book(tx: Queryable, { request_id: requestId, account_id: accountId, amount }: OwedRow): Promise<void> {
    const { db, clock } = this.#options;
    const line = {
      id: `guarantee:${requestId}`,
      kind: 'guarantee' as const,
      debit: 'revenue',
      credit: walletBudget(accountId),
      amount: money(BigInt(amount)),
      requestId,
    };
    await bookLines({ db, tx, nowMs: clock.now() }, [line]);
  }
}

function isOwed({ guarantee, cost }: { guarantee: string | null; cost: Money }): boolean {
  return guarantee === 'broken' && cost > 0n;
}

async function isStillWaiting(tx: Queryable, { request_id: id }: OwedRow): Promise<boolean> {
  const rows = await tx.query(
    `select from guarantee_credit where request_id = $1 and state = 'waiting' for update skip locked`,
    [id],
  );
  return rows.length > 0;
}

/** False when the account has had its free answers of that day. */
async function countFree(tx: Queryable, { account_id: accountId, day }: OwedRow, most: number): Promise<boolean> {
  const rows = await tx.query(
    `insert into guarantee_day as known (account_id, day, free) select $1, $2::date, 1 where $3::int > 0
     on conflict (account_id, day) do update set free = known.free + 1 where known.free < $3::int returning free`,
    [accountId, day, most],
  );
  return rows.length > 0;
}

async function decided(on: Queryable, { request_id: id }: OwedRow, state: CreditState, at: Date) {
  await on.query(
    `update guarantee_credit set state = $2, decided_at = $3 where request_id = $1 and state = 'waiting'`,
    [id, state, at],
  );
}
