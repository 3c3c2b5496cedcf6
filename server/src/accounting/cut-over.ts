/**
 * Moves what 0.1.0 wrote into its few books to the books of the chart, as entries of today; nothing is rewritten and no
 * wallet moves. 0.1.0 has one book for money that came in (`cash`), one for what was given or corrected
 * (`adjustments`), and none for tax. A run computes what each book of the chart should have received from all that is
 * written there, less what earlier runs moved. So a second run finds nothing, and one after a return to 0.1.0 finds
 * what was added meanwhile. The run locks the row that every booking of this version reads, so that nobody books the
 * old way at the same time and two replicas do not both run.
 */

import type { Clock } from '../core/clock.ts';
import { money } from '../core/money.ts';
import type { BookLine, Books } from '../ledger/index.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import {
  CUT_OVER_DONE,
  CUT_OVERS_BOOKED,
  LOCK_CUT_OVER,
  MARK_CUT_OVER,
  MOVES_OF_CUT_OVER,
  OLD_BALANCES_LEFT,
  OLDER_RUNS,
} from './period-rows.ts';

export interface CutOverOptions {
  db: Database;
  clock: Clock;
  log: Log;
  ledger: Pick<Books, 'bookIn'>;
}

/** `waits`: a process of 0.1.0 is connected, and its own proof of the books must keep holding. */
export type CutOverResult = 'done' | 'nothing to do' | 'waits';

export async function cutOver(options: CutOverOptions): Promise<CutOverResult> {
  const { db, clock, log } = options;
  if (!(await isNeeded(db))) return 'nothing to do';
  if (await olderRuns(db)) return 'waits';
  const lines = await db.transaction(async (tx) => {
    await LOCK_CUT_OVER.run(tx);
    const moves = await MOVES_OF_CUT_OVER.rows(tx);
    await MARK_CUT_OVER.run(tx, [new Date(clock.now())]);
    return book(options, tx, moves);
  });
  log.info({ lines }, 'entries of version 0.1.0 were moved to the chart of accounts');
  return 'done';
}

async function isNeeded(db: Queryable): Promise<boolean> {
  const state = await CUT_OVER_DONE.first(db);
  const old = await OLD_BALANCES_LEFT.first(db);
  return state?.done !== true || old?.count !== 0n;
}

/** Versions from 0.2.0 on put their number after the name (platform/db/postgres.ts). The embedded database has one process. */
async function olderRuns(db: Database): Promise<boolean> {
  if (db.kind === 'embedded') return false;
  const row = await OLDER_RUNS.first(db);
  return row?.count !== 0n;
}

async function book(
  { ledger }: CutOverOptions,
  tx: Queryable,
  moves: readonly { old: string; book: string; amount: string }[],
): Promise<number> {
  if (moves.length === 0) return 0;
  const runs = await CUT_OVERS_BOOKED.first(tx);
  const id = `cutover:${(runs?.count ?? 0n) + 1n}`;
  const lines = moves.map(({ old, book, amount }): BookLine => {
    const value = BigInt(amount);
    const legs = value > 0n ? { debit: book, credit: old } : { debit: old, credit: book };
    return { id: `${id}:${old}:${book}`, kind: 'cutover', ...legs, amount: money(value > 0n ? value : -value) };
  });
  await ledger.bookIn(tx, { id, kind: 'cut-over', createdBy: 'startup', note: 'entries of version 0.1.0', lines });
  return lines.length;
}
