/** The tax of a season: invoices and credit notes, tax paid on purchases, and what the book of tax says. */

import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { type Money, money, ZERO } from '../core/money.ts';
import type { Queryable } from '../platform/db/index.ts';
import { daySumsByBook } from './day-sums-sql.ts';
import type { BooksSpan } from './months.ts';
import { PAPERS_OF_SPANS, VAT_OF_SPANS, VAT_STANDING } from './report-rows.ts';

export interface VatMonth extends BooksSpan {
  invoices: number;
  /** Without tax. */
  sold: Money;
  invoiceVat: Money;
  creditNotes: number;
  returned: Money;
  creditNoteVat: Money;
  /** Tax on what we bought, as bills show it. */
  inputVat: Money;
  /** Paid to the tax office or set off. */
  paid: Money;
  /**
   * What reached the book with neither an invoice nor a credit note: money that was matched to an account, and the
   * cut-over.
   */
  other: Money;
  /** What the book of tax payable moved by. */
  booked: Money;
  /** Booked, less everything above. Unless it is zero, the books and the papers disagree. */
  difference: Money;
}

export interface VatSeason extends BooksSpan {
  months: VatMonth[];
  /** The balances of tax payable and of tax on purchases at the end. */
  payable: Money;
  input: Money;
}

const of = (text: string | undefined): Money => money(BigInt(text ?? 0));

export async function vatOfSeason(tx: Queryable, season: BooksSpan, months: readonly BooksSpan[]): Promise<VatSeason> {
  const firsts = months.map(({ firstDay }) => firstDay);
  const lasts = months.map(({ lastDay }) => lastDay);
  const papers = await PAPERS_OF_SPANS.rows(tx, [firsts, lasts, HOME_ZONE]);
  const sums = await daySumsByBook(tx, season.lastDay, 'by-hand');
  const books = await VAT_OF_SPANS(sums).rows(tx, [season.firstDay, season.lastDay, firsts, lasts]);
  const booked = new Map(books.map((row) => [row.place, row]));
  const standing = await VAT_STANDING(sums).only(tx, ['1900-01-01', season.lastDay]);
  return {
    ...season,
    payable: of(standing.payable),
    input: of(standing.input),
    months: months.map((month, at): VatMonth => {
      const paper = papers[at];
      const book = booked.get(at + 1);
      const [invoiceVat, creditNoteVat] = [of(paper?.vat), of(paper?.note_vat)];
      const [paid, other, total] = [of(book?.paid), of(book?.other), of(book?.booked)];
      return {
        ...month,
        invoices: Number(paper?.invoices ?? 0),
        sold: of(paper?.sold),
        invoiceVat,
        creditNotes: Number(paper?.notes ?? 0),
        returned: of(paper?.returned),
        creditNoteVat,
        inputVat: of(book?.input),
        paid,
        other,
        booked: total,
        difference: money(total - (invoiceVat - creditNoteVat - paid + other)),
      };
    }),
  };
}

/** The sum of all months. */
export function vatTotal(season: VatSeason): Omit<VatMonth, keyof BooksSpan> {
  const sum = (of: (month: VatMonth) => Money): Money =>
    money(season.months.reduce((all, one) => all + of(one), ZERO as bigint));
  return {
    invoices: season.months.reduce((all, { invoices }) => all + invoices, 0),
    creditNotes: season.months.reduce((all, { creditNotes }) => all + creditNotes, 0),
    sold: sum(({ sold }) => sold),
    invoiceVat: sum(({ invoiceVat }) => invoiceVat),
    returned: sum(({ returned }) => returned),
    creditNoteVat: sum(({ creditNoteVat }) => creditNoteVat),
    inputVat: sum(({ inputVat }) => inputVat),
    paid: sum(({ paid }) => paid),
    other: sum(({ other }) => other),
    booked: sum(({ booked }) => booked),
    difference: sum(({ difference }) => difference),
  };
}
