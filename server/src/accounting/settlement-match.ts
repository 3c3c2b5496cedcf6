/**
 * Finds what of ours the lines of a settlement are. Each kind of line is one statement over all lines, never a query per line. By our
 * reference first, then by the external id; both only where gateway, unit and amount are the order's own and nobody else has settled
 * it. Amount and day alone are a proposal, which a person confirms.
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
  // What was only guessed before is looked at anew.
  await FORGET_GUESSES.run(tx, [id]);
  await byHash(tx, async () => {
    for (const matching of [MATCH_PAYMENTS, PROPOSE_PAYMENTS, MATCH_REFUNDS, MATCH_DISPUTES])
      await matching.run(tx, values);
  });
}

/**
 * The planner takes lines that were written a moment ago for one row, and a gateway whose orders came since the last statistics for
 * one without any: it would hold each line against each order of the gateway in turn.
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
