/**
 * A document that explains what waits in a book must not explain more than is there: credit would come from nowhere.
 */

import { GatewayError } from '../core/errors.ts';
import type { Queryable } from '../platform/db/index.ts';
import { POSTED_OF_BOOK } from './book-document-rows.ts';
import { accountingReasons } from './reasons.ts';

/** Called inside the transaction after the lines were booked, because booking them has locked the row of the book. */
export async function requireCovered(tx: Queryable, kind: string): Promise<void> {
  if (kind !== 'matched' && kind !== 'documented') return;
  const book = kind === 'matched' ? 'unmatched' : 'undocumented';
  const row = await POSTED_OF_BOOK.first(tx, [book]);
  const posted = BigInt(row?.posted ?? 0);
  const reason = kind === 'matched' ? accountingReasons.moreThanUnmatched : accountingReasons.moreThanUndocumented;
  if (kind === 'matched' ? posted < 0n : posted > 0n) throw new GatewayError('conflict', { param: 'amount', reason });
}
