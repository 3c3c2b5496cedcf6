/** The reports of the books as a service. Each answer is read in one snapshot, on the connections that reports have. */

import type { Clock } from '../core/clock.ts';
import { invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import type { RandomBytes } from '../core/ids.ts';
import { reasons } from '../core/reasons.ts';
import { noSuch } from '../keys/index.ts';
import { dayAfter, homeDay } from '../ledger/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { InvoiceFilter, InvoicePlace, ListedInvoice } from './invoice-list-rows.ts';
import { listInvoicePapers, WAITING_FOR_TAX } from './invoice-list-rows.ts';
import { type JournalPage, type JournalPlace, readJournal } from './month-journal.ts';
import {
  type BooksCalendar,
  type BooksSpan,
  daysIn,
  isDay,
  monthsOf,
  type SpanKind,
  spanBefore,
  spanNamed,
  spanOf,
} from './months.ts';
import { type BooksRule, readRule } from './periods.ts';
import {
  type CashDay,
  cashByDay,
  type ProfitAndLoss,
  profitAndLoss,
  type SubAccount,
  subAccounts,
  type TrialLine,
  trialBalance,
} from './reports.ts';
import { importTaxResults } from './tax-results.ts';
import { type VatSeason, vatOfSeason } from './vat.ts';

/** A range of days; either end may be absent. */
export interface DayRange {
  from?: string | undefined;
  to?: string | undefined;
}

export interface BooksReports {
  today(): string;
  /**
   * What moved between two days, and the balances at the end of the last. Without days: the running month until now.
   */
  trial(range: DayRange): Promise<{ firstDay: string; lastDay: string; lines: TrialLine[] }>;
  accounts(
    of: { line: string; day?: string | undefined },
    page: { after?: string | undefined; limit: number },
  ): Promise<{ day: string; rows: SubAccount[]; next: string | null }>;
  /** The last `count` spans up to the named or the running one, oldest first. */
  profit(by: SpanKind, count: number, until?: string): Promise<ProfitAndLoss>;
  cash(range: DayRange): Promise<{ firstDay: string; lastDay: string; rows: CashDay[] }>;
  journal(
    month: string | undefined,
    after: JournalPlace | undefined,
    limit: number,
  ): Promise<JournalPage & { span: BooksSpan }>;
  vat(season?: string): Promise<VatSeason>;
  invoices(
    filter: InvoiceFilter & { season?: string | undefined },
    page: { after?: InvoicePlace | undefined; limit: number; oldestFirst?: boolean },
    use?: 'list' | 'job',
  ): Promise<ListedInvoice[]>;
  /**
   * How many invoices wait to be sent, and the last day for the oldest; null where none waits or none is sent from
   * here.
   */
  toSend(): Promise<{ count: number; until: string | null; days: number }>;
  importTaxResults(text: string, actor: string): Promise<{ changed: number }>;
  rule(): Promise<BooksRule>;
}

export interface BooksReportsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
}

/** A report by day covers a year and a bit at most. */
const MAX_DAYS = 400;

export function createBooksReports(options: BooksReportsOptions): BooksReports {
  const { db, clock } = options;
  const record = createChangeRecorder(options, 'books');
  const today = () => homeDay(clock.now());
  const read = <T>(
    work: (tx: Queryable, calendar: BooksCalendar) => Promise<T>,
    use: 'list' | 'job' = 'list',
  ): Promise<T> => db.report(async (tx) => work(tx, (await readRule(tx)).calendar), { for: use, snapshot: true });

  /** The running month is reported when no days are named. */
  function rangeOf(calendar: BooksCalendar, { from, to }: DayRange): { firstDay: string; lastDay: string } {
    const lastDay = day(to, 'to') ?? today();
    const firstDay = day(from, 'from') ?? spanOf(calendar, 'month', lastDay).firstDay;
    if (firstDay > lastDay || daysIn({ firstDay, lastDay }) > MAX_DAYS)
      throw invalidRequest('from', reasons.mustBe('from', expected.between(dayAfter(lastDay, 1 - MAX_DAYS), lastDay)));
    return { firstDay, lastDay };
  }
  const named = (calendar: BooksCalendar, span: SpanKind, id: string | undefined): BooksSpan =>
    id === undefined ? spanOf(calendar, span, today()) : (spanNamed(calendar, span, id) ?? noSuch('month', id));

  return {
    today,
    trial: (range) =>
      read(async (tx, calendar) => {
        const span = rangeOf(calendar, range);
        return { ...span, lines: await trialBalance(tx, span, today()) };
      }),
    accounts: ({ line, day: given }, { after = '', limit }) =>
      read(async (tx) => {
        const at = day(given, 'day') ?? today();
        const rows = await subAccounts(tx, { line, day: at, today: today() }, { after, limit: limit + 1 });
        const shown = rows.slice(0, limit);
        return { day: at, rows: shown, next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
      }),
    profit: (by, count, until) =>
      read((tx, calendar) => {
        const spans = [named(calendar, by, until)];
        while (spans.length < count) spans.unshift(spanBefore(calendar, by, spans[0] as BooksSpan));
        return profitAndLoss(tx, spans);
      }),
    cash: (range) =>
      read(async (tx, calendar) => {
        const span = rangeOf(calendar, range);
        return { ...span, rows: await cashByDay(tx, span, today(), dayAfter(span.firstDay, -1)) };
      }),
    journal: (month, after, limit) =>
      read(async (tx, calendar) => {
        const span = named(calendar, 'month', month);
        const now = today();
        const hasEnded = span.lastDay < now;
        const lastDay = hasEnded ? span.lastDay : now;
        const place = after && after.day >= span.firstDay && after.day <= span.lastDay ? after : undefined;
        return { span, ...(await readJournal(tx, { firstDay: span.firstDay, lastDay }, place, limit)) };
      }),
    vat: (season) =>
      read(async (tx, calendar) => {
        const span = named(calendar, 'quarter', season);
        return vatOfSeason(tx, span, monthsOf(calendar, span));
      }),
    invoices: ({ season, ...filter }, page, use) =>
      read(async (tx, calendar) => {
        const span = season === undefined ? undefined : named(calendar, 'quarter', season);
        return listInvoicePapers(tx, { ...checked(filter), ...(span && within(filter, span)) }, page);
      }, use),
    toSend: () =>
      read(async (tx) => {
        const { taxSendDays: days } = await readRule(tx);
        if (days === 0) return { count: 0, until: null, days };
        const { count, oldest } = await waitingForTax(tx);
        return { count, until: oldest === null ? null : dayAfter(homeDay(oldest.getTime()), days), days };
      }),
    importTaxResults: (text, actor) => importTaxResults({ db, record, nowMs: clock.now() }, text, actor),
    rule: () => readRule(db),
  };
}

function day(text: string | undefined, param: string): string | undefined {
  if (text !== undefined && !isDay(text)) throw invalidRequest(param, reasons.mustBe(param, expected.day));
  return text;
}

function checked(filter: InvoiceFilter): InvoiceFilter {
  day(filter.firstDay, 'from');
  day(filter.lastDay, 'to');
  return filter;
}

/** The days of the season that remain after the filter. */
function within({ firstDay, lastDay }: InvoiceFilter, span: BooksSpan): Pick<InvoiceFilter, 'firstDay' | 'lastDay'> {
  return {
    firstDay: firstDay !== undefined && firstDay > span.firstDay ? firstDay : span.firstDay,
    lastDay: lastDay !== undefined && lastDay < span.lastDay ? lastDay : span.lastDay,
  };
}

/** How many wait to be sent, and the day of issue of the oldest. */
async function waitingForTax(tx: Queryable): Promise<{ count: number; oldest: Date | null }> {
  const row = await WAITING_FOR_TAX.first(tx);
  return { count: Number(row?.count ?? 0), oldest: row?.oldest ?? null };
}
