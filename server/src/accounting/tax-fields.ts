/** Invoices in the fields of the tax office's system: header and the one line in one row, amounts in rial. */
import { isJsonObject, type Json } from '../core/json.ts';
import { type Money, money, toTomanText } from '../core/money.ts';
import type { CsvCell } from '../core/write-csv.ts';
import { homeDay } from '../ledger/index.ts';
import { invoiceNumber } from '../payments/index.ts';
import type { ListedInvoice } from './invoice-list-rows.ts';
import { bothDates } from './months.ts';

export const TAX_HEAD = [
  'taxid',
  'inno',
  'indatim',
  'indati2m',
  'inty',
  'inp',
  'ins',
  'irtaxid',
  'tins',
  'tob',
  'bid',
  'tinb',
  'tprdis',
  'tdis',
  'tadis',
  'tvam',
  'tbill',
  'setm',
  'sstid',
  'sstt',
  'am',
  'mu',
  'fee',
  'prdis',
  'dis',
  'adis',
  'vra',
  'vam',
  'tsstam',
  'jalali_date',
  'gregorian_date',
  'state',
  'irinno',
] as const;

/** Exact even where a part of an order is not a whole toman. */
const rial = (amount: Money): string => toTomanText(money(amount * 10n));

const SALE = 1;
const CANCELLING = 3;
const SALES_RETURN = 4;

/**
 * Chooses between sale, return and cancellation. A return states what is left of the invoice; where nothing is left,
 * the invoice is cancelled.
 */
function subjectOf({ kind, left }: ListedInvoice): number {
  if (kind === 'invoice') return SALE;
  return left !== null && left.amount > 0n ? SALES_RETURN : CANCELLING;
}

export function taxRow(invoice: ListedInvoice, serviceId: string): CsvCell[] {
  const { issuedAt, corrects, taxNumber, taxState, content } = invoice;
  const subject = subjectOf(invoice);
  const { amount, vat } = invoice.left !== null && subject === SALES_RETURN ? invoice.left : invoice;
  const seller = textsOf(content['seller']);
  const buyer = textsOf(content['buyer']);
  const isNamed = buyer('nationalId') !== null || buyer('economicCode') !== null;
  const total = rial(money(amount + vat));
  const [jalali, gregorian] = bothDates(homeDay(issuedAt.getTime()));
  const toman = toTomanText(amount);
  return [
    taxNumber,
    invoiceNumber(invoice),
    issuedAt.getTime(),
    issuedAt.getTime(),
    // 1 with the buyer's identity, 2 without.
    isNamed ? 1 : 2,
    1,
    subject,
    corrects?.taxNumber ?? null,
    seller('economicCode') ?? seller('nationalId'),
    buyer('kind') === 'company' ? 2 : 1,
    buyer('nationalId'),
    buyer('economicCode'),
    rial(amount),
    0,
    rial(amount),
    rial(vat),
    total,
    // 1: paid in cash.
    1,
    serviceId === '' ? null : serviceId,
    lineText(content['lines']),
    toman,
    null,
    // The unit is one toman of credit, so that a return can name less of it at the same price.
    10,
    rial(amount),
    0,
    rial(amount),
    invoice.vatBasisPoints / 100,
    rial(vat),
    total,
    jalali,
    gregorian,
    taxState,
    corrects === null ? null : invoiceNumber(corrects),
  ];
}

function textsOf(party: Json | undefined): (name: string) => string | null {
  const fields = party !== undefined && isJsonObject(party) ? party : {};
  return (name) => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
}

function lineText(lines: Json | undefined): string | null {
  const first = Array.isArray(lines) ? lines[0] : undefined;
  const text = first !== undefined && isJsonObject(first) ? first['text'] : undefined;
  const persian = text !== undefined && isJsonObject(text) ? text['fa'] : undefined;
  return typeof persian === 'string' ? persian : null;
}
