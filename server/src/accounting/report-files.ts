/** Reports as files for spreadsheets. Long reports are read piece by piece while they are sent. */
import { bookOfLine } from '@dargah/core/chart.ts';
import type { Language } from '@dargah/core/text.ts';
import { money, toTomanText } from '../core/money.ts';
import type { CsvCell } from '../core/write-csv.ts';
import { homeDay } from '../ledger/index.ts';
import { invoiceNumber, seriesOf } from '../payments/index.ts';
import type { BooksReports, DayRange } from './books-reports.ts';
import type { CsvFile } from './csv-file.ts';
import type { InvoiceFilter, InvoicePlace, ListedInvoice } from './invoice-list-rows.ts';
import type { JournalPlace } from './month-journal.ts';
import { bothDates, type SpanKind } from './months.ts';
import { HEADS, head, lineName } from './report-heads.ts';
import { TAX_HEAD, taxRow } from './tax-fields.ts';
import { vatTotal } from './vat.ts';

type ReportFile = 'trial-balance' | 'accounts' | 'profit' | 'cash' | 'journal' | 'vat' | 'invoices' | 'tax';

interface FileQuery extends DayRange {
  day?: string | undefined;
  book?: string | undefined;
  by?: SpanKind | undefined;
  count?: number | undefined;
  until?: string | undefined;
  month?: string | undefined;
  season?: string | undefined;
  invoices?: InvoiceFilter | undefined;
}

type Row = readonly CsvCell[];
type Maker = (reports: BooksReports, query: FileQuery, language: Language) => Promise<CsvFile>;

const PIECE = 1_000;

async function* once(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
}

const trialFile: Maker = async (reports, query, language) => {
  const { firstDay, lastDay, lines } = await reports.trial(query);
  const rows = lines.map(
    ({ book, movedDebit, movedCredit, debit, credit }): Row => [
      ...bothDates(lastDay),
      bookOfLine(book)?.code ?? null,
      book,
      lineName(book, language),
      toTomanText(movedDebit),
      toTomanText(movedCredit),
      toTomanText(debit),
      toTomanText(credit),
    ],
  );
  return {
    name: `trial-balance-${firstDay}-${lastDay}`,
    head: head(language, 'jalali', 'gregorian', 'code', 'book', 'name', 'movedDebit', 'movedCredit', 'debit', 'credit'),
    pieces: once(rows),
  };
};

const accountsFile: Maker = async (reports, { book = 'wallets', day }, language) => {
  // Read first, so that a wrong day is refused before the file begins.
  const first = await reports.accounts({ line: book, day }, { limit: PIECE });
  async function* pieces(): AsyncGenerator<readonly Row[]> {
    let page = first;
    for (;;) {
      yield page.rows.map(({ id, name, posted }): Row => {
        const sides = posted < 0n ? [toTomanText(money(-posted)), '0'] : ['0', toTomanText(posted)];
        return [...bothDates(page.day), id, name, ...sides];
      });
      if (page.next === null) return;
      page = await reports.accounts({ line: book, day: page.day }, { after: page.next, limit: PIECE });
    }
  }
  return {
    name: `balances-${book.replaceAll(':', '-')}-${first.day}`,
    head: head(language, 'jalali', 'gregorian', 'account', 'name', 'debit', 'credit'),
    pieces: pieces(),
  };
};

const profitFile: Maker = async (reports, { by = 'month', count = 12, until }, language) => {
  const { spans, lines, profit } = await reports.profit(by, count, until);
  const rows = lines.map(
    ({ book, kind, amounts }): Row => [
      bookOfLine(book)?.code ?? null,
      book,
      lineName(book, language),
      kind,
      ...amounts.map(toTomanText),
    ],
  );
  return {
    name: `profit-and-loss-${spans[0]?.id}-${spans.at(-1)?.id}`,
    head: [...head(language, 'code', 'book', 'name', 'kind'), ...spans.map(({ id }) => id)],
    pieces: once([...rows, [null, null, HEADS.profit[language], null, ...profit.map(toTomanText)]]),
  };
};

const cashFile: Maker = async (reports, query, language) => {
  const { firstDay, lastDay, rows } = await reports.cash(query);
  const lines = rows.map(
    ({ day, book, came, went, balance }): Row => [
      ...bothDates(day),
      book,
      lineName(book, language),
      toTomanText(came),
      toTomanText(went),
      toTomanText(balance),
    ],
  );
  return {
    name: `cash-${firstDay}-${lastDay}`,
    head: head(language, 'jalali', 'gregorian', 'book', 'name', 'came', 'went', 'balance'),
    pieces: once(lines),
  };
};

const journalFile: Maker = async (reports, { month }, language) => {
  const first = await reports.journal(month, undefined, PIECE);
  async function* pieces(): AsyncGenerator<readonly Row[]> {
    let page = first;
    for (;;) {
      yield page.lines.map(
        (line): Row => [
          ...bothDates(line.day),
          line.kind,
          line.debit,
          line.credit,
          toTomanText(line.amount),
          line.transfers,
          line.accountId,
          line.documentKind,
          line.number,
          line.datedOn,
          line.note,
          line.id,
        ],
      );
      const next: JournalPlace | null = page.next;
      if (next === null) return;
      page = await reports.journal(first.span.id, next, PIECE);
    }
  }
  return {
    name: `journal-${first.span.id}`,
    head: head(
      language,
      'jalali',
      'gregorian',
      'kind',
      'debitBook',
      'creditBook',
      'amount',
      'transfers',
      'account',
      'documentKind',
      'number',
      'datedOn',
      'note',
      'id',
    ),
    pieces: pieces(),
  };
};

const vatFile: Maker = async (reports, { season }, language) => {
  const report = await reports.vat(season);
  const row = (id: string, month: ReturnType<typeof vatTotal>): Row => [
    id,
    month.invoices,
    toTomanText(month.sold),
    toTomanText(month.invoiceVat),
    month.creditNotes,
    toTomanText(month.returned),
    toTomanText(month.creditNoteVat),
    toTomanText(month.inputVat),
    toTomanText(month.paid),
    toTomanText(month.other),
    toTomanText(month.booked),
    toTomanText(month.difference),
  ];
  return {
    name: `vat-${report.id}`,
    head: head(
      language,
      'month',
      'invoices',
      'sold',
      'invoiceVat',
      'creditNotes',
      'returned',
      'creditNoteVat',
      'inputVat',
      'paid',
      'other',
      'booked',
      'difference',
    ),
    pieces: once([...report.months.map((month) => row(month.id, month)), row(report.id, vatTotal(report))]),
  };
};

/** Oldest first, so that invoices issued while the file is written come at its end. */
async function* invoicePieces(
  reports: BooksReports,
  query: FileQuery,
  first: readonly ListedInvoice[],
  rowOf: (invoice: ListedInvoice) => Row,
): AsyncGenerator<readonly Row[]> {
  let page = first;
  for (;;) {
    yield page.map(rowOf);
    const last = page.at(-1);
    if (last === undefined || page.length < PIECE) return;
    const after: InvoicePlace = { at: last.issuedAt, id: last.id };
    page = await reports.invoices(
      { ...query.invoices, season: query.season },
      { after, limit: PIECE, oldestFirst: true },
    );
  }
}

const invoicesFile: Maker = async (reports, query, language) => {
  const first = await reports.invoices(
    { ...query.invoices, season: query.season },
    { limit: PIECE, oldestFirst: true },
  );
  const rowOf = (invoice: ListedInvoice): Row => {
    const total = money(invoice.amount + invoice.vat);
    return [
      ...bothDates(homeDay(invoice.issuedAt.getTime())),
      invoiceNumber(invoice),
      invoice.kind,
      invoice.accountId,
      invoice.accountName,
      toTomanText(invoice.amount),
      toTomanText(invoice.vat),
      toTomanText(total),
      toTomanText(money(total * 10n)),
      invoice.corrects === null ? null : invoiceNumber(invoice.corrects),
      invoice.orderId,
      seriesOf(invoice) === 'official' ? invoice.taxState : null,
      invoice.taxNumber,
      invoice.taxReference,
      invoice.taxMessage,
    ];
  };
  return {
    name: query.season === undefined ? 'invoices' : `invoices-${query.season}`,
    head: head(
      language,
      'jalali',
      'gregorian',
      'number',
      'kind',
      'account',
      'name',
      'amount',
      'vat',
      'total',
      'totalRial',
      'corrects',
      'order',
      'taxState',
      'taxNumber',
      'reference',
      'message',
    ),
    pieces: invoicePieces(reports, query, first, rowOf),
  };
};

const taxFile: Maker = async (reports, given) => {
  const query = { ...given, invoices: { ...given.invoices, series: 'official' as const } };
  const { taxServiceId } = await reports.rule();
  const first = await reports.invoices(
    { ...query.invoices, season: query.season },
    { limit: PIECE, oldestFirst: true },
  );
  return {
    name: query.season === undefined ? 'tax' : `tax-${query.season}`,
    head: TAX_HEAD,
    pieces: invoicePieces(reports, query, first, (invoice) => taxRow(invoice, taxServiceId)),
  };
};

export const MAKERS: Readonly<Record<ReportFile, Maker>> = {
  'trial-balance': trialFile,
  accounts: accountsFile,
  profit: profitFile,
  cash: cashFile,
  journal: journalFile,
  vat: vatFile,
  invoices: invoicesFile,
  tax: taxFile,
};
