/** What is read and written of invoices, their numbers and the legal identities that stand on them. */

import { isJsonObject } from '../../core/json.ts';
import type { Money } from '../../core/money.ts';
import { money } from '../../core/money.ts';
import { column, command, notNull, orNull, type Queryable, type RowOf, statement } from '../../platform/db/index.ts';
import { type Page, type PageStart, toPage } from '../../platform/db/pages.ts';
import { type LegalIdentity, storedIdentity } from './legal-identity.ts';

export interface InvoiceLine {
  text: { fa: string; en: string };
  quantity: number;
  amount: Money;
}

export interface Invoice {
  id: string;
  year: number;
  number: number;
  kind: 'invoice' | 'credit-note';
  accountId: string;
  orderId: string | null;
  corrects: string | null;
  seller: LegalIdentity;
  buyer: LegalIdentity;
  lines: InvoiceLine[];
  amount: Money;
  vat: Money;
  vatBasisPoints: number;
  issuedAt: Date;
}

const invoiceRow = {
  id: column.text,
  year: column.int,
  number: column.int,
  kind: column.textOf<Invoice['kind']>(),
  account_id: column.text,
  order_id: orNull(column.text),
  corrects: orNull(column.text),
  content: column.json,
  amount: column.text,
  vat: column.text,
  vat_basis_points: column.int,
  issued_at: column.timestamp,
};
type InvoiceRow = RowOf<typeof invoiceRow>;

export const NOBODY: LegalIdentity = {
  kind: 'person',
  name: '',
  nationalId: null,
  economicCode: null,
  registrationNumber: null,
  postalCode: null,
  address: null,
  phone: null,
};

const COLUMNS = `id, year, number, kind, account_id, coalesce(order_id, part_of_order) as order_id, corrects, content, amount::text as amount, vat::text as vat,
  vat_basis_points, issued_at`;

const INVOICES = statement(
  invoiceRow,
  `select ${COLUMNS} from invoice where ($1::text is null or account_id = $1)
   and ($2::timestamptz is null or (issued_at, id) < ($2, $3)) order by issued_at desc, id desc limit $4`,
);

export async function listInvoices(
  db: Queryable,
  accountId: string | undefined,
  start: PageStart,
): Promise<Page<Invoice>> {
  const rows = await INVOICES.rows(db, [accountId ?? null, start.time, start.id, start.fetch]);
  return toPage(rows.map(toInvoice), start, ({ issuedAt, id }) => ({ time: issuedAt, id }));
}

const INVOICES_OF_ORDERS = statement(
  { order_id: notNull(column.text), id: column.text },
  `select order_id, id from invoice where order_id = any($1::text[]) and kind = 'invoice'`,
);

export async function invoiceIdsOf(db: Queryable, orderIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (orderIds.length === 0) return new Map();
  const rows = await INVOICES_OF_ORDERS.rows(db, [orderIds]);
  return new Map(rows.map((row) => [row.order_id, row.id]));
}

const PAPERS_OF_ORDER = statement(
  invoiceRow,
  `select ${COLUMNS} from invoice where order_id = $1
   union all select ${COLUMNS} from invoice where part_of_order = $1 order by issued_at, id`,
);

export async function papersOf(db: Queryable, orderId: string): Promise<Invoice[]> {
  const rows = await PAPERS_OF_ORDER.rows(db, [orderId]);
  return rows.map(toInvoice);
}

export interface CorrectedPaper {
  id: string;
  number: number;
}

const INVOICE_OF_ORDER = statement(
  { id: column.text, number: column.int },
  `select id, number from invoice where order_id = $1 and kind = 'invoice'`,
);

export function invoiceToCorrect(tx: Queryable, orderId: string): Promise<CorrectedPaper | undefined> {
  return INVOICE_OF_ORDER.first(tx, [orderId]);
}

const BUYER = statement(
  { name: column.text, identity: orNull(column.json) },
  'select name, identity from account left join legal_identity on account_id = account.id where account.id = $1',
);

export async function buyerOf(tx: Queryable, accountId: string): Promise<LegalIdentity> {
  const row = await BUYER.first(tx, [accountId]);
  return storedIdentity(row?.identity ?? undefined) ?? { ...NOBODY, name: row?.name ?? '' };
}

export function toInvoice(row: InvoiceRow): Invoice {
  const content = isJsonObject(row.content) ? row.content : {};
  const lines = Array.isArray(content['lines']) ? content['lines'] : [];
  return {
    id: row.id,
    year: row.year,
    number: row.number,
    kind: row.kind,
    accountId: row.account_id,
    orderId: row.order_id,
    corrects: row.corrects,
    seller: storedIdentity(content['seller']) ?? NOBODY,
    buyer: storedIdentity(content['buyer']) ?? NOBODY,
    lines: lines.filter(isJsonObject).map((line) => ({
      text: line['text'] as unknown as InvoiceLine['text'],
      quantity: Number(line['quantity']),
      amount: money(BigInt(String(line['amount']))),
    })),
    amount: money(BigInt(row.amount)),
    vat: money(BigInt(row.vat)),
    vatBasisPoints: row.vat_basis_points,
    issuedAt: row.issued_at,
  };
}

export const INSERT_INVOICE =
  command(`insert into invoice (id, year, number, kind, account_id, order_id, part_of_order, corrects, content, amount, vat,
         vat_basis_points, issued_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`);

export const INVOICE = statement(invoiceRow, `select ${COLUMNS} from invoice where id = $1`);

export const LEGAL_IDENTITY = statement(
  { identity: column.json },
  'select identity from legal_identity where account_id = $1',
);

export const SET_LEGAL_IDENTITY =
  command(`insert into legal_identity (account_id, identity, updated_at) values ($1, $2, $3)
         on conflict (account_id) do update set identity = excluded.identity, updated_at = excluded.updated_at`);

export const NEXT_IN_SERIES = statement(
  { last: column.int },
  `insert into invoice_series (year, last) values ($1, 1)
   on conflict (year) do update set last = invoice_series.last + 1 returning last`,
);
