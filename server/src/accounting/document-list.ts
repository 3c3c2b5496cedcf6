/** Documents of the books as staff search for them, and the one entry that a document explains. */

import { GatewayError } from '../core/errors.ts';
import { type Money, money } from '../core/money.ts';
import { refuseCursor } from '../keys/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import { DOCUMENTS } from './book-document-rows.ts';
import { openEntry } from './open-items.ts';
import { accountingReasons } from './reasons.ts';

export interface DocumentRow {
  id: string;
  kind: string;
  datedOn: string;
  number: string | null;
  party: string | null;
  note: string | null;
  amount: Money;
  createdBy: string;
  createdByName: string | null;
  createdAt: Date;
}

interface DocumentFilter {
  kind?: string | undefined;
  party?: string | undefined;
  number?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** The sum is read only for the rows of the page. */
export async function listDocuments(
  db: Queryable,
  { kind, party, number, from, to }: DocumentFilter,
  page: PageRequest,
): Promise<Page<DocumentRow>> {
  const start = startOfPage(page) ?? refuseCursor();
  const rows = await DOCUMENTS.rows(db, [
    kind ?? null,
    party ?? null,
    number ?? null,
    from ?? null,
    to ?? null,
    start.time,
    start.id,
    start.fetch,
  ]);
  const documents = rows.map((row): DocumentRow => ({ ...row, amount: money(BigInt(row.amount)) }));
  return toPage(documents, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

/**
 * Called in the transaction that books the document. Requires that the entry exists, has no other document, and has the
 * same amount.
 */
export async function requireEntry(tx: Queryable, entry: string, amount: Money, document: string): Promise<void> {
  const found = await openEntry(tx, entry, document);
  if (found === undefined || found !== amount)
    throw new GatewayError('conflict', { param: 'entry', reason: accountingReasons.entryCleared });
}
