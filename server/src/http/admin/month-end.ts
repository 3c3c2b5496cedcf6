/** `/api/admin/periods` and `/api/admin/books/…`: months that close, and the reports of the books. */
import * as reportRoutes from '@dargah/api/admin/book-reports.ts';
import * as routes from '@dargah/api/admin/month-end.ts';
import { page } from '@dargah/api/building-blocks.ts';
import { bookOfLine } from '@dargah/core/chart.ts';
import {
  type BooksPeriod,
  type BooksReports,
  type InvoiceFilter,
  type JournalPlace,
  type MonthCheckResult,
  type Periods,
  REPORT_MAKERS,
  writeCsv,
} from '../../accounting/index.ts';
import type { Sink } from '../../core/answer.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { refuseCursor } from '../../keys/index.ts';
import { readInvoiceNumber } from '../../payments/index.ts';
import { startOfPage, toPage } from '../../platform/db/pages.ts';
import { RawAnswer } from '../routes/handler-result.ts';
import type { Register } from '../routes/register.ts';
import { invoicePaperView, journalView, profitReportView, trialView, vatView } from '../views/month-end-views.ts';
import { requirePerson } from './by-hand.ts';
import type { ListOfStaff } from './staff-list.ts';

export interface MonthEndServices {
  periods: Periods;
  reports: BooksReports;
  /** Called when a file broke off. */
  onBrokenFile(error: unknown): void;
}

const SHOWN_MONTHS = 24;
const SHOWN_ROWS = 50;

type InvoiceRoute = typeof reportRoutes.listInvoicePapers;

export function monthEnd(register: Register, services: MonthEndServices): ListOfStaff<InvoiceRoute> {
  const { periods } = services;
  register(routes.listPeriods, async ({ query }) =>
    page((await periods.list(query.limit ?? SHOWN_MONTHS)).map(periodView)),
  );
  register(routes.getPeriod, async ({ params }) => {
    const { period, checks } = await periods.get(params.id);
    return { ...periodView(period), checks: checks.map(checkView) };
  });
  register(routes.askClosing, async ({ params, body, actor, who }) => {
    requirePerson(who);
    return periodView(await periods.ask(params.id, body.sentences ?? {}, actor));
  });
  register(routes.decideClosing, async ({ params, body, actor, who }) => {
    requirePerson(who);
    return periodView(await (body.approve ? periods.approve(params.id, actor) : periods.decline(params.id, actor)));
  });
  register(routes.getBooksRule, async () => ruleView(await periods.rule()));
  register(routes.changeBooksRule, async ({ body, actor }) => {
    const { calendar, tax_send_days: taxSendDays, tax_service_id: taxServiceId } = body;
    const change = {
      ...(calendar === undefined ? {} : { calendar }),
      ...(taxSendDays === undefined ? {} : { taxSendDays }),
      ...(taxServiceId === undefined ? {} : { taxServiceId }),
    };
    return ruleView(await periods.setRule(change, actor));
  });
  registerReports(register, services);
  registerFiles(register, services);
  return registerInvoices(register, services);
}

function registerReports(register: Register, { reports }: MonthEndServices): void {
  register(reportRoutes.getBooksTrial, async ({ query }) => trialView(await reports.trial(query)));
  register(reportRoutes.listBookAccounts, async ({ query }) => {
    const { book, day, after, limit = SHOWN_ROWS } = query;
    if (bookOfLine(book) === undefined) throw invalidRequest('book', reasons.mustBe('book', expected.valid));
    const found = await reports.accounts({ line: book, day }, { after: after && fromCursor(after), limit });
    const rows = found.rows.map(({ posted, ...row }) => ({ ...row, day: found.day, balance: toTomanText(posted) }));
    return page(rows, found.next && toCursor(found.next));
  });
  register(reportRoutes.getProfitAndLoss, async ({ query }) => {
    const { by = 'month', count = 2, until } = query;
    return profitReportView(await reports.profit(by, count, until));
  });
  register(reportRoutes.listCash, async ({ query }) => {
    const { firstDay, lastDay, rows } = await reports.cash(query);
    return {
      object: 'cash' as const,
      first_day: firstDay,
      last_day: lastDay,
      rows: rows.map(({ day, book, came, went, balance }) => {
        return { day, book, in: toTomanText(came), out: toTomanText(went), balance: toTomanText(balance) };
      }),
    };
  });
  register(reportRoutes.listJournal, async ({ query }) => {
    const { month, after, limit = SHOWN_ROWS } = query;
    const { lines, next } = await reports.journal(month, after === undefined ? undefined : placeOf(after), limit);
    return page(lines.map(journalView), next && toCursor(`${next.day} ${next.place} ${next.id}`));
  });
  register(reportRoutes.getVatSeason, async ({ query }) =>
    vatView(await reports.vat(query.season), await reports.toSend()),
  );
}

function registerInvoices(register: Register, { reports }: MonthEndServices): ListOfStaff<InvoiceRoute> {
  const list = listOfInvoices(reports);
  register(reportRoutes.listInvoicePapers, ({ query, who }) => list.read(query, { ...who, use: 'list' }));
  register(reportRoutes.importTaxResults, async ({ body, actor }) => {
    const { changed } = await reports.importTaxResults(body.text, actor);
    return { object: 'tax_results' as const, changed };
  });
  return list;
}

function listOfInvoices(reports: BooksReports): ListOfStaff<InvoiceRoute> {
  return {
    id: 'invoices',
    route: reportRoutes.listInvoicePapers,
    async read(query, { use }) {
      const first = startOfPage(query) ?? refuseCursor();
      const start = use === 'job' && query.limit !== undefined ? { ...first, fetch: query.limit + 1 } : first;
      const after = start.time !== null && start.id !== null ? { at: start.time, id: start.id } : undefined;
      const place = { after, limit: start.fetch };
      const rows = await reports.invoices({ ...filterOf(query), season: query.season }, place, use);
      const { items, next } = toPage(rows, start, ({ issuedAt, id }) => ({ time: issuedAt, id }));
      const { taxSendDays } = await reports.rule();
      return page(
        items.map((invoice) => invoicePaperView(invoice, taxSendDays)),
        next,
      );
    },
    at: (row) => row.issued_at,
    columns: {
      number: (row) => row.number,
      series: (row) => row.series,
      kind: (row) => row.kind,
      issued_at: (row) => row.issued_at,
      jalali_date: (row) => row.jalali_date,
      account_id: (row) => row.account_id,
      account_name: (row) => row.account_name,
      order_id: (row) => row.order_id,
      corrects: (row) => row.corrects,
      amount_toman: (row) => row.amount,
      vat_toman: (row) => row.vat,
      total_toman: (row) => row.total,
      tax_state: (row) => (row.series === 'official' ? row.tax_state : null),
      tax_number: (row) => row.tax_number,
      tax_reference: (row) => row.tax_reference,
      tax_message: (row) => row.tax_message,
      send_until: (row) => row.send_until,
    },
  };
}

function registerFiles(register: Register, { reports, onBrokenFile }: MonthEndServices): void {
  register(reportRoutes.getBooksFile, async ({ params, query, language }) => {
    const make = Object.entries(REPORT_MAKERS).find(([name]) => name === params.report)?.[1];
    if (!make) throw new GatewayError('not_found');
    const { book } = query;
    if (book !== undefined && bookOfLine(book) === undefined)
      throw invalidRequest('book', reasons.mustBe('book', expected.valid));
    const file = await make(reports, { ...query, invoices: filterOf(query) }, query.language ?? language);
    const headers = { 'content-disposition': `attachment; filename="${file.name}.csv"` };
    const run = (sink: Sink) => writeCsv(file, sink, onBrokenFile);
    return new RawAnswer({ kind: 'stream', contentType: 'text/csv; charset=utf-8', headers, run });
  });
}

interface GivenFilter {
  from?: string;
  to?: string;
  kind?: 'invoice' | 'credit-note';
  account_id?: string;
  number?: string;
  series?: InvoiceFilter['series'];
  tax_state?: InvoiceFilter['taxState'];
}

function filterOf(query: GivenFilter): InvoiceFilter {
  const number = query.number === undefined ? undefined : readInvoiceNumber(query.number);
  if (query.number !== undefined && number === undefined)
    throw invalidRequest('number', reasons.mustBe('number', expected.exactly('1405-000012')));
  return {
    firstDay: query.from,
    lastDay: query.to,
    kind: query.kind,
    accountId: query.account_id,
    series: query.series,
    taxState: query.tax_state,
    ...number,
  };
}

const toCursor = (text: string): string => Buffer.from(text).toString('base64url');
const fromCursor = (text: string): string => Buffer.from(text, 'base64url').toString();

function placeOf(cursor: string): JournalPlace {
  const match = /^(\d{4}-\d{2}-\d{2}) ([01]) (.{1,300})$/.exec(fromCursor(cursor));
  return match ? { day: match[1] ?? '', place: Number(match[2]), id: match[3] ?? '' } : refuseCursor();
}

function periodView(period: BooksPeriod) {
  return {
    object: 'books_period' as const,
    id: period.id,
    first_day: period.firstDay,
    last_day: period.lastDay,
    calendar: period.calendar,
    state: period.state,
    closable_from: period.closableFrom,
    asked_by: period.askedBy,
    asked_by_name: period.askedByName,
    asked_at: period.askedAt?.toISOString() ?? null,
    approved_by: period.approvedBy,
    approved_by_name: period.approvedByName,
    closed_at: period.closedAt?.toISOString() ?? null,
    alone: period.alone,
    sentences: period.sentences,
  };
}

function checkView({ id, level, count, amount, link }: MonthCheckResult) {
  return { id, level, count, amount: amount === null ? null : toTomanText(amount), link };
}

function ruleView(rule: Awaited<ReturnType<Periods['rule']>>) {
  return {
    object: 'books_rule' as const,
    calendar: rule.calendar,
    calendar_fixed: rule.calendarFixed,
    tax_send_days: rule.taxSendDays,
    tax_service_id: rule.taxServiceId,
  };
}
