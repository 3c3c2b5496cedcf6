/** Documents as they are stored, with their lines. */

import { type Money, money } from '../core/money.ts';
import { noSuch } from '../keys/index.ts';
import type { Queryable } from '../platform/db/database.ts';
import { LINES_OF_DOCUMENT, STORED_DOCUMENT } from './book-rows.ts';

export interface StoredDocument {
  id: string;
  kind: string;
  /** `2026-11-17`. */
  datedOn: string;
  number: string | null;
  party: string | null;
  note: string | null;
  createdBy: string;
  approvedBy: string | null;
  reverses: string | null;
  createdAt: Date;
  lines: { id: string; debit: string; credit: string; amount: Money; units: string | null; unit: string | null }[];
}

export async function readStoredDocument(db: Queryable, id: string): Promise<StoredDocument> {
  const row = await STORED_DOCUMENT.first(db, [id]);
  if (!row) return noSuch('book document', id);
  const lines = await LINES_OF_DOCUMENT.rows(db, [id]);
  return { ...row, lines: lines.map(({ amount, ...line }) => ({ ...line, amount: money(BigInt(amount)) })) };
}
