/** Documents as they are stored, with their lines. */
import { type Money, money } from '../core/money.ts';
import { noSuch } from '../keys/index.ts';
import type { Queryable } from '../platform/db/database.ts';

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

type DocumentRow = Omit<StoredDocument, 'lines'>;

export async function readStoredDocument(db: Queryable, id: string): Promise<StoredDocument> {
  const [row] = await db.query<DocumentRow>(
    `select id, kind, to_char(dated_on, 'YYYY-MM-DD') as "datedOn", number, party, note, created_by as "createdBy",
       approved_by as "approvedBy", reverses, created_at as "createdAt"
     from document where id = $1`,
    [id],
  );
  if (!row) return noSuch('book document', id);
  const lines = await db.query<{
    id: string;
    debit: string;
    credit: string;
    amount: string;
    units: string | null;
    unit: string | null;
  }>(
    `select id, debit, credit, amount::text as amount, trim_scale(units)::text as units, unit
     from ledger_transfer where document_id = $1 order by seq`,
    [id],
  );
  return { ...row, lines: lines.map(({ amount, ...line }) => ({ ...line, amount: money(BigInt(amount)) })) };
}
