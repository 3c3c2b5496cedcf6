/** Reports of the books as the API shows them. */
import { bookOfLine } from '@dargah/core/chart.ts';
import {
  type BooksReports,
  type BooksSpan,
  type ListedInvoice,
  type MonthJournalLine,
  type VatSeason,
  vatTotal,
} from '../../accounting/index.ts';
import { money, toTomanText } from '../../core/money.ts';
import { dayAfter, homeDay } from '../../ledger/index.ts';
import { invoiceNumber, jalaliDate, seriesOf } from '../../payments/index.ts';

const spanView = ({ id, firstDay, lastDay }: BooksSpan) => ({ id, first_day: firstDay, last_day: lastDay });

export function trialView({ firstDay, lastDay, lines }: Awaited<ReturnType<BooksReports['trial']>>) {
  const sum = (of: 'movedDebit' | 'movedCredit' | 'debit' | 'credit') =>
    toTomanText(money(lines.reduce((total, line) => total + line[of], 0n)));
  return {
    object: 'trial_balance' as const,
    first_day: firstDay,
    last_day: lastDay,
    lines: lines.map(({ book, accounts, movedDebit, movedCredit, debit, credit }) => ({
      book,
      code: bookOfLine(book)?.code ?? null,
      class: bookOfLine(book)?.class ?? null,
      accounts,
      moved_debit: toTomanText(movedDebit),
      moved_credit: toTomanText(movedCredit),
      debit: toTomanText(debit),
      credit: toTomanText(credit),
    })),
    moved_debit: sum('movedDebit'),
    moved_credit: sum('movedCredit'),
    debit: sum('debit'),
    credit: sum('credit'),
  };
}

export function profitReportView(report: Awaited<ReturnType<BooksReports['profit']>>) {
  return {
    object: 'profit_and_loss' as const,
    spans: report.spans.map(spanView),
    lines: report.lines.map(({ book, kind, amounts }) => ({
      book,
      code: bookOfLine(book)?.code ?? null,
      kind,
      amounts: amounts.map(toTomanText),
    })),
    profit: report.profit.map(toTomanText),
    requests: report.requests,
    unknown_cost: report.unknownCost.map(({ requests, revenue }) => ({ requests, revenue: toTomanText(revenue) })),
  };
}

export function journalView(line: MonthJournalLine) {
  return {
    id: line.id,
    day: line.day,
    kind: line.kind,
    debit: line.debit,
    credit: line.credit,
    amount: toTomanText(line.amount),
    transfers: line.transfers,
    account_id: line.accountId,
    document_id: line.documentId,
    document_kind: line.documentKind,
    number: line.number,
    dated_on: line.datedOn,
    note: line.note,
  };
}

function vatSumsView(sums: ReturnType<typeof vatTotal>) {
  return {
    invoices: sums.invoices,
    sold: toTomanText(sums.sold),
    invoice_vat: toTomanText(sums.invoiceVat),
    credit_notes: sums.creditNotes,
    returned: toTomanText(sums.returned),
    credit_note_vat: toTomanText(sums.creditNoteVat),
    input_vat: toTomanText(sums.inputVat),
    paid: toTomanText(sums.paid),
    other: toTomanText(sums.other),
    booked: toTomanText(sums.booked),
    difference: toTomanText(sums.difference),
  };
}

export function vatView(season: VatSeason, { count, until }: { count: number; until: string | null }) {
  return {
    object: 'vat_season' as const,
    ...spanView(season),
    months: season.months.map((month) => ({ ...spanView(month), ...vatSumsView(month) })),
    total: vatSumsView(vatTotal(season)),
    payable: toTomanText(season.payable),
    input: toTomanText(season.input),
    to_send: { count, until },
  };
}

export function invoicePaperView(invoice: ListedInvoice, taxSendDays: number) {
  const series = seriesOf(invoice);
  const isWaiting = series === 'official' && (invoice.taxState === 'not-sent' || invoice.taxState === 'refused');
  return {
    id: invoice.id,
    number: invoiceNumber(invoice),
    series,
    kind: invoice.kind,
    account_id: invoice.accountId,
    account_name: invoice.accountName,
    order_id: invoice.orderId,
    corrects: invoice.corrects && invoiceNumber(invoice.corrects),
    amount: toTomanText(invoice.amount),
    vat: toTomanText(invoice.vat),
    total: toTomanText(money(invoice.amount + invoice.vat)),
    issued_at: invoice.issuedAt.toISOString(),
    jalali_date: jalaliDate(invoice.issuedAt).text,
    specimen: series === 'specimen',
    tax_state: invoice.taxState,
    tax_number: invoice.taxNumber,
    tax_reference: invoice.taxReference,
    tax_message: invoice.taxMessage,
    send_until: isWaiting && taxSendDays > 0 ? dayAfter(homeDay(invoice.issuedAt.getTime()), taxSendDays) : null,
    pdf_url: `/invoices/${invoice.id}/pdf`,
  };
}
