/** Invoices and credit notes as an accountant lists them: by day, kind, account, number, season, and what the tax office knows of each. */
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import type { JsonObject } from '../core/json.ts';
import { type Money, money } from '../core/money.ts';
import { IN_OFFICIAL_SERIES, IN_RECEIPT_SERIES, type InvoiceSeries } from '../payments/index.ts';
import type { Queryable } from '../platform/db/index.ts';

export type TaxState = 'not-sent' | 'sent' | 'accepted' | 'refused';

export interface ListedInvoice {
  id: string;
  year: number;
  number: number;
  kind: 'invoice' | 'credit-note';
  accountId: string;
  accountName: string;
  orderId: string | null;
  /** Of a credit note: the invoice, its number and what the tax office calls it. */
  corrects: { id: string; year: number; number: number; taxNumber: string | null; amount: Money; vat: Money } | null;
  /** Of a credit note: what of the invoice is left after it. */
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

export interface InvoiceFilter {
  /** Days of Tehran, both included. */
  firstDay?: string | undefined;
  lastDay?: string | undefined;
  kind?: 'invoice' | 'credit-note' | undefined;
  accountId?: string | undefined;
  /** `1405-000012`, or the number alone. */
  year?: number | undefined;
  number?: number | undefined;
  /** `to-send`: not sent, or refused; receipts and specimens are neither. */
  taxState?: TaxState | 'to-send' | undefined;
  series?: InvoiceSeries | undefined;
}

export interface InvoicePlace {
  at: Date;
  id: string;
}

interface Row extends Omit<ListedInvoice, 'amount' | 'vat' | 'corrects' | 'left'> {
  amount: string;
  vat: string;
  corrects: string | null;
  cYear: number | null;
  cNumber: number | null;
  cTax: string | null;
  cAmount: string | null;
  cVat: string | null;
  backAmount: string | null;
  backVat: string | null;
}

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

/** Newest first, or oldest first, from a place on. */
export async function listInvoicePapers(
  tx: Queryable,
  filter: InvoiceFilter,
  { after, limit, oldestFirst = false }: { after?: InvoicePlace | undefined; limit: number; oldestFirst?: boolean },
): Promise<ListedInvoice[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
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
  const way = oldestFirst ? 'asc' : 'desc';
  const rows = await tx.query<Row>(
    `select ${COLUMNS} from ${TABLES} where ${where.join(' and ')}
     order by invoice.issued_at ${way}, invoice.id ${way} limit ${bind(limit)}`,
    values,
  );
  return rows.map(toListed);
}

const of = (text: string | null): Money => money(BigInt(text ?? 0));

function toListed(row: Row): ListedInvoice {
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

/** How many wait to be sent, and the day of issue of the oldest. */
export async function waitingForTax(tx: Queryable): Promise<{ count: number; oldest: Date | null }> {
  const [row] = await tx.query<{ count: bigint; oldest: Date | null }>(
    `select count(*) as count, min(issued_at) as oldest from invoice left join invoice_tax tax on tax.invoice_id = invoice.id where ${TO_SEND}`,
  );
  return { count: Number(row?.count ?? 0), oldest: row?.oldest ?? null };
}
