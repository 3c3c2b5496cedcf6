/**
 * Matches the lines of a settlement with our orders and documents. Each kind of line is one statement over all lines,
 * never a query per line. Our reference counts first, then the external id; both only where gateway, unit and amount
 * are the order's own and no other line has settled it. Amount and day alone are a proposal, which a person confirms.
 */

import type { Queryable } from '../platform/db/index.ts';
import {
  ASSUME,
  BOOKS_BEGAN,
  FORGET_BANK_GUESSES,
  FORGET_GUESSES,
  MATCH_BANK,
  MATCH_DISPUTES,
  MATCH_PAYMENTS,
  MATCH_REFUNDS,
  NESTED_LOOPS,
  NO_NESTED_LOOPS,
  PROPOSE_PAYMENTS,
  WAITING_PAYOUTS,
} from './settlement-match-sql.ts';
import type { StoredSettlement } from './settlement-rows.ts';

export async function matchGateway(tx: Queryable, settlement: StoredSettlement): Promise<void> {
  const { id, source, unit, hasLines, paidAt } = settlement;
  const values = [id, source, unit];
  if (!hasLines) {
    const begin = await BOOKS_BEGAN.first(tx, [source]);
    await ASSUME.run(tx, [...values, paidAt, begin?.at ?? '-infinity']);
    return;
  }
  // Earlier guesses are forgotten and made again.
  await FORGET_GUESSES.run(tx, [id]);
  await byHash(tx, async () => {
    for (const matching of [MATCH_PAYMENTS, PROPOSE_PAYMENTS, MATCH_REFUNDS, MATCH_DISPUTES])
      await matching.run(tx, values);
  });
}

/**
 * Makes the planner use a hash join. It expects a single row for lines that were written a moment ago, and none for a
 * gateway whose orders are newer than the last statistics, and would compare each line with each order of the gateway.
 */
async function byHash(tx: Queryable, work: () => Promise<void>): Promise<void> {
  await NO_NESTED_LOOPS.run(tx);
  await work();
  await NESTED_LOOPS.run(tx);
}

export async function matchBank(tx: Queryable, { id, source, unit }: StoredSettlement): Promise<void> {
  await FORGET_BANK_GUESSES.run(tx, [id]);
  await byHash(tx, async () => {
    await MATCH_BANK.run(tx, [id, source, unit]);
  });
  await WAITING_PAYOUTS.run(tx, [id, unit]);
}
