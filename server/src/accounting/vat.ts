/** The tax of a season: what invoices and credit notes say, what was paid on purchases, and what the book of it says. */

import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { type Money, money, ZERO } from '../core/money.ts';
import type { Queryable } from '../platform/db/index.ts';
import { daySumsByBook } from './day-sums.ts';
import type { BooksSpan } from './months.ts';

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
  /** What came to the book with neither an invoice nor a credit note: money that was matched to an account, the cut-over. */
  other: Money;
  /** What the book of tax payable moved by. */
  booked: Money;
  /** Booked, less everything above; zero, or the books and the papers disagree. */
  difference: Money;
}

export interface VatSeason extends BooksSpan {
  months: VatMonth[];
  /** What stands in the book of tax payable and of tax on purchases at the end. */
  payable: Money;
  input: Money;
}

/** Papers that were made for real money: specimens have numbers below zero. */
const PAPERS = `
  select span.place::int as place, count(*) filter (where kind = 'invoice') as invoices,
    count(*) filter (where kind = 'credit-note') as notes,
    coalesce(sum(amount) filter (where kind = 'invoice'), 0)::text as sold, coalesce(sum(vat) filter (where kind = 'invoice'), 0)::text as vat,
    coalesce(sum(amount) filter (where kind = 'credit-note'), 0)::text as returned,
    coalesce(sum(vat) filter (where kind = 'credit-note'), 0)::text as note_vat
  from unnest($1::date[], $2::date[]) with ordinality as span (first_day, last_day, place)
  left join invoice on number > 0 and issued_at >= span.first_day::timestamp at time zone $3
    and issued_at < (span.last_day + 1)::timestamp at time zone $3
  group by span.place order by span.place`;

/** Kinds of entries whose paper is an invoice or a credit note. */
const OF_PAPERS = `('vat', 'chargeback')`;

const of = (text: string | undefined): Money => money(BigInt(text ?? 0));

export async function vatOfSeason(tx: Queryable, season: BooksSpan, months: readonly BooksSpan[]): Promise<VatSeason> {
  const firsts = months.map(({ firstDay }) => firstDay);
  const lasts = months.map(({ lastDay }) => lastDay);
  const papers = await tx.query<{
    place: number;
    invoices: bigint;
    notes: bigint;
    sold: string;
    vat: string;
    returned: string;
    note_vat: string;
  }>(PAPERS, [firsts, lasts, HOME_ZONE]);
  const books = await tx.query<{ place: number; booked: string; paid: string; other: string; input: string }>(
    `select span.place::int as place,
       coalesce(sum(credit - debit) filter (where book = 'vat-payable'), 0)::text as booked,
       coalesce(sum(debit - credit) filter (where book = 'vat-payable' and kind = 'tax-payment'), 0)::text as paid,
       coalesce(sum(credit - debit) filter (where book = 'vat-payable' and kind <> 'tax-payment' and kind not in ${OF_PAPERS}), 0)::text as other,
       coalesce(sum(debit - credit) filter (where book = 'vat-input' and kind <> 'tax-payment'), 0)::text as input
     from unnest($3::date[], $4::date[]) with ordinality as span (first_day, last_day, place)
     left join ${await daySumsByBook(tx, season.lastDay, 'by-hand')} as leg
       on leg.day between span.first_day and span.last_day and book in ('vat-payable', 'vat-input')
     group by span.place`,
    [season.firstDay, season.lastDay, firsts, lasts],
  );
  const booked = new Map(books.map((row) => [row.place, row]));
  const [standing] = await tx.query<{ payable: string; input: string }>(
    `select coalesce(sum(credit - debit) filter (where book = 'vat-payable'), 0)::text as payable,
       coalesce(sum(debit - credit) filter (where book = 'vat-input'), 0)::text as input
     from ${await daySumsByBook(tx, season.lastDay, 'by-hand')} as leg where book in ('vat-payable', 'vat-input')`,
    ['1900-01-01', season.lastDay],
  );
  return {
    ...season,
    payable: of(standing?.payable),
    input: of(standing?.input),
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
