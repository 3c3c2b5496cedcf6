/** Invoices as an accountant lists them, and what the tax office says of them. */
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import type { JsonObject } from '../core/json.ts';
import { type Money, money } from '../core/money.ts';
import { IN_OFFICIAL_SERIES, IN_RECEIPT_SERIES, type InvoiceSeries } from '../payments/index.ts';
import { column, command, orNull, type Queryable, type RowOf, statement, statementFor } from '../platform/db/index.ts';

export interface InvoiceFilter {
  /** Days of Tehran, both included. */
  firstDay?: string | undefined;
  lastDay?: string | undefined;
  kind?: 'invoice' | 'credit-note' | undefined;
  accountId?: string | undefined;
  /** `1405-000012`, or the number alone. */
  year?: number | undefined;
  number?: number | undefined;
  /** `to-send` means not sent or refused, without receipts and specimens. */
  taxState?: TaxState | 'to-send' | undefined;
  series?: InvoiceSeries | undefined;
}

export interface InvoicePlace {
  at: Date;
  id: string;
}

export interface ListedInvoice {
  id: string;
  year: number;
  number: number;
  kind: 'invoice' | 'credit-note';
  accountId: string;
  accountName: string;
  orderId: string | null;
  /** On a credit note: the invoice, its number and its number at the tax office. */
  corrects: { id: string; year: number; number: number; taxNumber: string | null; amount: Money; vat: Money } | null;
  /** On a credit note: what is left of the invoice after it. */
  left: { amount: Money; vat: Money } | null;
  content: JsonObject;
  amount: Money;
  vat: Money;
  vatBasisPoints: number;
  issuedAt: Date;
  taxState: TaxState;
  taxNumber: string | null;
  taxReference: string | null;
  taxMessage: string | null;
  taxAt: Date | null;
}

export type TaxState = 'not-sent' | 'sent' | 'accepted' | 'refused';

const invoiceListRow = {
  id: column.text,
  year: column.int,
  number: column.int,
  kind: column.textOf<ListedInvoice['kind']>(),
  accountId: column.text,
  accountName: column.text,
  orderId: orNull(column.text),
  corrects: orNull(column.text),
  content: column.jsonOf<JsonObject>(),
  amount: column.text,
  vat: column.text,
  vatBasisPoints: column.int,
  issuedAt: column.timestamp,
  taxState: column.textOf<TaxState>(),
  taxNumber: orNull(column.text),
  taxReference: orNull(column.text),
  taxMessage: orNull(column.text),
  taxAt: orNull(column.timestamp),
  cYear: orNull(column.int),
  cNumber: orNull(column.int),
  cTax: orNull(column.text),
  cAmount: orNull(column.text),
  cVat: orNull(column.text),
  backAmount: orNull(column.text),
  backVat: orNull(column.text),
};
type InvoiceListRow = RowOf<typeof invoiceListRow>;

const COLUMNS = `invoice.id, invoice.year, invoice.number, invoice.kind, invoice.account_id as "accountId", account.name as "accountName",
  coalesce(invoice.order_id, invoice.part_of_order) as "orderId", invoice.corrects, invoice.content, invoice.amount::text as amount,
  invoice.vat::text as vat, invoice.vat_basis_points as "vatBasisPoints", invoice.issued_at as "issuedAt",
  coalesce(tax.state, 'not-sent') as "taxState", tax.tax_number as "taxNumber", tax.reference as "taxReference",
  tax.message as "taxMessage", tax.updated_at as "taxAt", former.year as "cYear", former.number as "cNumber",
  former_tax.tax_number as "cTax", former.amount::text as "cAmount", former.vat::text as "cVat",
  back.amount::text as "backAmount", back.vat::text as "backVat"`;

const TABLES = `invoice join account on account.id = invoice.account_id
  left join invoice_tax tax on tax.invoice_id = invoice.id
  left join invoice former on former.id = invoice.corrects
  left join invoice_tax former_tax on former_tax.invoice_id = former.id
  left join lateral (
    select sum(amount) as amount, sum(vat) as vat from invoice note
    where note.corrects = invoice.corrects and (note.issued_at, note.id) <= (invoice.issued_at, invoice.id)
  ) as back on invoice.corrects is not null`;

const TO_SEND = `${IN_OFFICIAL_SERIES} and coalesce(tax.state, 'not-sent') in ('not-sent', 'refused')`;

const IN_SERIES: Record<InvoiceSeries, string> = {
  official: IN_OFFICIAL_SERIES,
  receipt: IN_RECEIPT_SERIES,
  specimen: 'invoice.number < 0',
};

const of = (text: string | null): Money => money(BigInt(text ?? 0));

function toListed(row: InvoiceListRow): ListedInvoice {
  const { cYear, cNumber, cTax, cAmount, cVat, backAmount, backVat, corrects, ...rest } = row;
  const former =
    corrects === null || cYear === null || cNumber === null
      ? null
      : { id: corrects, year: cYear, number: cNumber, taxNumber: cTax, amount: of(cAmount), vat: of(cVat) };
  return {
    ...rest,
    amount: of(row.amount),
    vat: of(row.vat),
    corrects: former,
    left: former && { amount: money(former.amount - of(backAmount)), vat: money(former.vat - of(backVat)) },
  };
}

export const WAITING_FOR_TAX = statement(
  { count: column.bigint, oldest: orNull(column.timestamp) },
  `select count(*) as count, min(issued_at) as oldest from invoice left join invoice_tax tax on tax.invoice_id = invoice.id where ${TO_SEND}`,
);

export const WRITE_TAX_RESULTS =
  command(`insert into invoice_tax as known (invoice_id, state, tax_number, reference, message, updated_by, updated_at)
   select invoice_id, state, tax_number, reference, message, $6, $7
   from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) as given (invoice_id, state, tax_number, reference, message)
   on conflict (invoice_id) do update set state = excluded.state, tax_number = coalesce(excluded.tax_number, known.tax_number),
     reference = coalesce(excluded.reference, known.reference), message = excluded.message, updated_by = excluded.updated_by,
     updated_at = excluded.updated_at`);

export const INVOICES_OF_RESULTS = statement(
  { place: column.int, id: column.text, state: orNull(column.text), same: column.boolean, used: column.boolean },
  `select given.place::int as place, invoice.id, tax.state, tax.tax_number is not distinct from coalesce(given.tax_number, tax.tax_number) as same,
     exists (select from invoice_tax other where other.tax_number = given.tax_number and other.invoice_id <> invoice.id) as used
   from unnest($1::int[], $2::int[], $3::text[]) with ordinality as given (year, number, tax_number, place)
   join invoice on invoice.year = given.year and invoice.number = given.number and ${IN_OFFICIAL_SERIES}
   left join invoice_tax tax on tax.invoice_id = invoice.id`,
);

const INVOICE_PAPERS = statementFor(
  invoiceListRow,
  (where: string, way: 'asc' | 'desc', limit: string) => `select ${COLUMNS} from ${TABLES} where ${where}
   order by invoice.issued_at ${way}, invoice.id ${way} limit ${limit}`,
  ...sampleLists(),
);

interface PageOfInvoices {
  after?: InvoicePlace | undefined;
  limit: number;
  oldestFirst?: boolean;
}

/** Newest or oldest first, after a given row. */
export async function listInvoicePapers(
  tx: Queryable,
  filter: InvoiceFilter,
  page: PageOfInvoices,
): Promise<ListedInvoice[]> {
  const values: unknown[] = [];
  const parts = partsOf(filter, page, (value) => `$${values.push(value)}`);
  const rows = await INVOICE_PAPERS(...parts).rows(tx, values);
  return rows.map(toListed);
}

function partsOf(
  filter: InvoiceFilter,
  { after, limit, oldestFirst = false }: PageOfInvoices,
  bind: (value: unknown) => string,
): [string, 'asc' | 'desc', string] {
  const where = ['true'];
  const { firstDay, lastDay, kind, accountId, year, number, taxState, series } = filter;
  if (firstDay !== undefined)
    where.push(`invoice.issued_at >= ${bind(firstDay)}::date::timestamp at time zone ${bind(HOME_ZONE)}`);
  if (lastDay !== undefined)
    where.push(`invoice.issued_at < (${bind(lastDay)}::date + 1)::timestamp at time zone ${bind(HOME_ZONE)}`);
  if (kind !== undefined) where.push(`invoice.kind = ${bind(kind)}`);
  if (accountId !== undefined) where.push(`invoice.account_id = ${bind(accountId)}`);
  if (year !== undefined) where.push(`invoice.year = ${bind(year)}`);
  if (number !== undefined) where.push(`invoice.number = ${bind(number)}`);
  if (series !== undefined) where.push(IN_SERIES[series]);
  if (taxState === 'to-send') where.push(TO_SEND);
  else if (taxState !== undefined)
    where.push(`${IN_OFFICIAL_SERIES} and coalesce(tax.state, 'not-sent') = ${bind(taxState)}`);
  if (after)
    where.push(`(invoice.issued_at, invoice.id) ${oldestFirst ? '>' : '<'} (${bind(after.at)}, ${bind(after.id)})`);
  return [where.join(' and '), oldestFirst ? 'asc' : 'desc', bind(limit)];
}

/** One list of each form, for the test of all statements. */
function sampleLists(): [string, 'asc' | 'desc', string][] {
  const of = (filter: InvoiceFilter, page: PageOfInvoices) => {
    let number = 0;
    return partsOf(filter, page, () => `$${++number}`);
  };
  const day = '2026-01-01';
  return [
    of({}, { limit: 1 }),
    of(
      {
        firstDay: day,
        lastDay: day,
        kind: 'invoice',
        accountId: '',
        year: 1,
        number: 1,
        taxState: 'sent',
        series: 'receipt',
      },
      { limit: 1 },
    ),
    of(
      { taxState: 'to-send', series: 'official' },
      { limit: 1, oldestFirst: true, after: { at: new Date(0), id: '' } },
    ),
    of({ series: 'specimen' }, { limit: 1, after: { at: new Date(0), id: '' } }),
  ];
}
