/**
 * Answers that broke the guarantee are free (ADR 0069): the charge stays, and a credit of its own kind returns it. What
 * is owed is recorded with the charge, before the journal deletes it, and decided once. The free answers are counted in
 * the database, so that the limit of a day holds over all replicas.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { type Money, money, ZERO } from '../core/money.ts';
import { walletBudget } from '../keys/index.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import type { Log } from '../platform/log.ts';
import { decodeRecord } from '../requestlog/index.ts';
import { bookLines } from './booking.ts';
import {
  countFreeAnswer,
  countSecondAsk,
  type GuaranteeBounds,
  INSERT_OWED,
  isStillWaiting,
  markDecided,
  type OwedRow,
  WAITING_CREDITS,
} from './guarantee-credit-rows.ts';

export interface GuaranteeCreditsOptions {
  db: Database;
  clock: Clock;
  log: Log;
  /** The limits of what an account is given in a day. */
  bounds(): Promise<GuaranteeBounds>;
  detach(work: Promise<void>): void;
}

export class GuaranteeCredits {
  readonly #options: GuaranteeCreditsOptions;

  constructor(options: GuaranteeCreditsOptions) {
    this.#options = options;
  }

  /** Records what posted lines are owed. Repeating it is harmless, because a batch is posted again after a crash. */
  async put(lines: readonly string[]): Promise<void> {
    const { db, clock, detach } = this.#options;
    const owed = lines.flatMap((line) => decodeRecord(line) ?? []).filter(isOwed);
    if (owed.length === 0) return;
    await INSERT_OWED.run(db, [
      owed.map(({ id }) => id),
      owed.map(({ accountId }) => accountId),
      owed.map(({ cost }) => String(cost)),
      new Date(clock.now()),
    ]);
    detach(this.creditWaiting());
  }

  /** Decides what waits, including what a killed process has left. */
  async creditWaiting(): Promise<void> {
    const { db, bounds } = this.#options;
    const waiting = await WAITING_CREDITS.rows(db);
    if (waiting.length === 0) return;
    const most = await bounds();
    for (const row of waiting) await this.#decide(row, most);
  }

  /** Whether a broken answer may be asked again at the operator's cost. */
  async takeSecondAsk(requestId: string, accountId: string, amount: Money): Promise<boolean> {
    const { db, clock, bounds } = this.#options;
    const most = await bounds();
    if (most.answers === 0 || amount > most.amount) return false;
    const now = new Date(clock.now());
    if (amount === ZERO) return true;
    return db.transaction((tx) => countSecondAsk(tx, { requestId, accountId, amount }, most.amount, now));
  }

  async #decide(row: OwedRow, most: GuaranteeBounds): Promise<void> {
    const { db, clock, log } = this.#options;
    const decidedAt = new Date(clock.now());
    try {
      await db.transaction(async (tx) => {
        if (!(await isStillWaiting(tx, row))) return;
        const isFree = await countFreeAnswer(tx, row, most);
        if (isFree) await this.#book(tx, row);
        await markDecided(tx, row, isFree ? 'credited' : 'over', decidedAt);
      });
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'conflict') throw error;
      // Staff refunded it before, and no request gets back more than it cost.
      log.info({ requestId: row.request_id }, 'a broken answer had been refunded by hand');
      await markDecided(db, row, 'refunded', decidedAt);
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
