/** The text of an invoice, row by row, in one language: the page and the PDF print the same. */

import { persianDigits } from '@dargah/core/persian-text.ts';
import { toTomanText } from '../../core/money.ts';
import { rialOf } from '../amounts.ts';
import { invoiceNumber, seriesOf } from './invoice-number.ts';
import type { Invoice } from './invoice-rows.ts';
import { invoiceTotal } from './invoices.ts';
import { jalaliDate } from './jalali-date.ts';
import type { LegalIdentity } from './legal-identity.ts';
import { inPersianWords } from './persian-words.ts';

const LABELS = {
  invoice: { fa: 'صورت‌حساب فروش خدمات', en: 'Invoice' },
  'credit-note': { fa: 'صورت‌حساب برگشتی', en: 'Credit note' },
  receipt: { fa: 'رسید پرداخت', en: 'Payment receipt' },
  'receipt-back': { fa: 'رسید برگشت پرداخت', en: 'Refund receipt' },
  specimen: { fa: 'نمونه', en: 'Sample' },
  notOfficial: {
    fa: 'این برگه صورت‌حساب رسمی نیست.',
    en: 'This is not an official invoice.',
  },
  number: { fa: 'شماره', en: 'Number' },
  date: { fa: 'تاریخ', en: 'Date' },
  seller: { fa: 'فروشنده', en: 'Seller' },
  buyer: { fa: 'خریدار', en: 'Buyer' },
  nationalId: { fa: 'شناسه یا کد ملی', en: 'National id' },
  economicCode: { fa: 'کد اقتصادی', en: 'Economic code' },
  registrationNumber: { fa: 'شمارهٔ ثبت', en: 'Registration number' },
  postalCode: { fa: 'کد پستی', en: 'Postal code' },
  address: { fa: 'نشانی', en: 'Address' },
  phone: { fa: 'تلفن', en: 'Phone' },
  row: { fa: 'ردیف', en: 'No.' },
  line: { fa: 'شرح', en: 'Description' },
  quantity: { fa: 'تعداد', en: 'Quantity' },
  unitPrice: { fa: 'مبلغ واحد (ریال)', en: 'Unit price (rial)' },
  rial: { fa: 'مبلغ (ریال)', en: 'Amount (rial)' },
  toman: { fa: 'مبلغ (تومان)', en: 'Amount (toman)' },
  sum: { fa: 'جمع', en: 'Sum' },
  vat: { fa: 'مالیات بر ارزش افزوده', en: 'VAT' },
  total: { fa: 'مبلغ قابل پرداخت', en: 'Total' },
  words: { fa: 'به حروف', en: 'In words' },
  scan: { fa: 'آدرس این برگه', en: 'Address of this paper' },
} as const;

export type InvoiceLanguage = 'fa' | 'en';

export interface InvoiceText {
  title: string;
  /**
   * The note under the title of a paper that is not an official invoice: a specimen, or a receipt of a seller without
   * details.
   */
  notOfficial: string | undefined;
  facts: [label: string, value: string][];
  parties: { title: string; rows: [label: string, value: string][] }[];
  /** Number, description, quantity, unit price, rial, toman. */
  head: string[];
  lines: string[][];
  /** Label, rial, toman; the last one is the total. */
  sums: string[][];
  words: [label: string, value: string] | undefined;
  scan: string;
}

/** A seller without details sells under the address of the service, and issues receipts. */
export function isOfficial({ number, seller }: Pick<Invoice, 'number' | 'seller'>): boolean {
  return seriesOf({ number }) === 'official' && seller.name !== '';
}

function titleOf(invoice: Invoice, label: (name: keyof typeof LABELS) => string): string {
  const isBack = invoice.kind === 'credit-note';
  const series = seriesOf(invoice);
  const isReceipt = series === 'receipt' || invoice.seller.name === '';
  const title = isReceipt ? label(isBack ? 'receipt-back' : 'receipt') : label(invoice.kind);
  return series === 'specimen' ? `${title} (${label('specimen')})` : title;
}

/** `address` is the address of the invoice's page. */
export function invoiceText(invoice: Invoice, language: InvoiceLanguage, address: string): InvoiceText {
  const label = (name: keyof typeof LABELS) => LABELS[name][language];
  const total = invoiceTotal(invoice);
  const amounts = (amount: Invoice['amount']) => [
    grouped(rialOf(amount), language),
    grouped(BigInt(toTomanText(amount)), language),
  ];
  const percent = digits(String(invoice.vatBasisPoints / 100), language);
  return {
    title: titleOf(invoice, label),
    notOfficial: isOfficial(invoice) ? undefined : label('notOfficial'),
    facts: [
      [label('number'), digits(invoiceNumber(invoice), language)],
      [label('date'), dateOf(invoice.issuedAt, language)],
    ],
    parties: [
      { title: label('seller'), rows: partyRows(sellerOn(invoice, address), language) },
      { title: label('buyer'), rows: partyRows(invoice.buyer, language) },
    ],
    head: [label('row'), label('line'), label('quantity'), label('unitPrice'), label('rial'), label('toman')],
    lines: invoice.lines.map(({ text, quantity, amount }, index) => [
      grouped(BigInt(index + 1), language),
      text[language],
      grouped(BigInt(quantity), language),
      grouped(rialOf(amount) / BigInt(quantity), language),
      ...amounts(amount),
    ]),
    sums: [
      [label('sum'), ...amounts(invoice.amount)],
      [`${label('vat')} (${percent}${language === 'fa' ? '٪' : '%'})`, ...amounts(invoice.vat)],
      [label('total'), ...amounts(total)],
    ],
    words: language === 'fa' ? [label('words'), `${inPersianWords(rialOf(total))} ریال`] : undefined,
    scan: label('scan'),
  };
}

function sellerOn({ seller }: Invoice, address: string): LegalIdentity {
  return seller.name === '' ? { ...seller, name: URL.canParse(address) ? new URL(address).host : address } : seller;
}

function partyRows(party: LegalIdentity, language: InvoiceLanguage): [string, string][] {
  const rows: [string, string][] = [['', party.name]];
  for (const name of ['nationalId', 'economicCode', 'registrationNumber', 'postalCode', 'phone', 'address'] as const) {
    const value = party[name];
    if (value !== null) rows.push([LABELS[name][language], digits(value, language)]);
  }
  return rows;
}

function dateOf(at: Date, language: InvoiceLanguage): string {
  const { text, gregorian } = jalaliDate(at);
  return language === 'fa' ? digits(text, 'fa') : `${gregorian} (${text})`;
}

function grouped(value: bigint, language: InvoiceLanguage): string {
  return new Intl.NumberFormat(language === 'fa' ? 'fa-IR' : 'en-US').format(value);
}

function digits(text: string, language: InvoiceLanguage): string {
  return language === 'fa' ? persianDigits(text) : text;
}
