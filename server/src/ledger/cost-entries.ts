/**
 * Provider costs beside the answers that were sold: each is written once under its id, in the caller's transaction.
 * Such lines move no wallet and nothing for which 0.1.0 has a rule, so they need no cut-over.
 */

import type { TransferKind } from '@dargah/core/transfer-kinds.ts';
import type { Queryable } from '../platform/db/database.ts';
import * as sql from './ledger-sql.ts';

export interface CostEntry {
  id: string;
  kind: Extract<TransferKind, 'waste' | 'probe' | 'continuation' | 'cost-correction'>;
  provider: string;
  amount: string;
}

/** Books from `provider:<id>` to `costs` each entry that is not there yet. Returns the ids that are new. */
export async function bookCosts(tx: Queryable, entries: readonly CostEntry[], atMs: number): Promise<string[]> {
  const written = entries.filter(({ amount }) => BigInt(amount) > 0n);
  if (written.length === 0) return [];
  const none = written.map(() => null);
  const debits = written.map(() => 'costs');
  const rows = await sql.INSERT_LINES.rows(tx, [
    written.map(({ id }) => id),
    debits,
    written.map(({ provider }) => `provider:${provider}`),
    written.map(({ amount }) => amount),
    written.map(({ kind }) => kind),
    none,
    none,
    none,
    atMs,
    null,
    none,
    none,
  ]);
  const ids = new Set(rows.map(({ id }) => id));
  const fresh = written.filter(({ id }) => ids.has(id));
  if (fresh.length > 0)
    await sql.MOVE_BALANCES.run(tx, [
      fresh.map(() => 'costs'),
      fresh.map(({ provider }) => `provider:${provider}`),
      fresh.map(({ amount }) => amount),
    ]);
  return [...ids];
}
