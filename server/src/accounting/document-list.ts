/** Papers of the books as staff looks for them, and the one entry that a paper explains. */
import { GatewayError } from '../core/errors.ts';
import { type Money, money } from '../core/money.ts';
import { refuseCursor } from '../keys/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
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

/** The sum is read for the rows of the page only. */
export async function listDocuments(
  db: Queryable,
  { kind, party, number, from, to }: DocumentFilter,
  page: PageRequest,
): Promise<Page<DocumentRow>> {
  const start = startOfPage(page) ?? refuseCursor();
  const rows = await db.query<Omit<DocumentRow, 'amount'> & { amount: string }>(
    `select found.*, person.name as "createdByName",
       (select coalesce(sum(amount), 0)::text from ledger_transfer where document_id = found.id) as amount
     from (
       select id, kind, to_char(dated_on, 'YYYY-MM-DD') as "datedOn", number, party, note, created_by as "createdBy", created_at as "createdAt"
       from document
       where ($1::text is null or kind = $1) and ($2::text is null or party = $2) and ($3::text is null or number = $3)
         and ($4::timestamptz is null or created_at >= $4) and ($5::timestamptz is null or created_at < $5)
         and ($6::timestamptz is null or (created_at, id) < ($6, $7))
       order by created_at desc, id desc limit $8
     ) as found left join person on 'staff:' || person.id = found."createdBy"
     order by found."createdAt" desc, found.id desc`,
    [kind ?? null, party ?? null, number ?? null, from ?? null, to ?? null, start.time, start.id, start.fetch],
  );
  const documents = rows.map((row): DocumentRow => ({ ...row, amount: money(BigInt(row.amount)) }));
  return toPage(documents, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

/** In the transaction that books the paper: the entry is there, no other paper has it, and the amount is its own. */
export async function requireEntry(tx: Queryable, entry: string, amount: Money, document: string): Promise<void> {
  const found = await openEntry(tx, entry, document);
  if (found === undefined || found !== amount)
    throw new GatewayError('conflict', { param: 'entry', reason: accountingReasons.entryCleared });
}
