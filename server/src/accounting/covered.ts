/** A paper that explains what waits in a book never explains more than is there: credit would come from nowhere. */
import { GatewayError } from '../core/errors.ts';
import type { Queryable } from '../platform/db/index.ts';
import { accountingReasons } from './reasons.ts';

/** Inside the transaction, after the lines were booked: the row of the book is locked by them. */
export async function requireCovered(tx: Queryable, kind: string): Promise<void> {
  if (kind !== 'matched' && kind !== 'documented') return;
  const book = kind === 'matched' ? 'unmatched' : 'undocumented';
  const [row] = await tx.query<{ posted: string }>('select posted::text as posted from ledger_account where id = $1', [
    book,
  ]);
  const posted = BigInt(row?.posted ?? 0);
  const reason = kind === 'matched' ? accountingReasons.moreThanUnmatched : accountingReasons.moreThanUndocumented;
  if (kind === 'matched' ? posted < 0n : posted > 0n) throw new GatewayError('conflict', { param: 'amount', reason });
}
