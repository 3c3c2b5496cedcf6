/** What the parts of the ledger's conformance are given. */
import { money } from '../../src/core/money.ts';
import type { Database } from '../../src/platform/db/index.ts';
import type { Bookkeeping } from '../ledger/bookkeeping.ts';

export type Stage = () => { db: Database; desk: Bookkeeping };

export function topUp(id: string, amount: bigint, accountId = 'acme') {
  return { id, kind: 'top-up' as const, accountId, amount: money(amount) };
}
