/** What the books say of any day, month or year: read from daily sums, each answer from one snapshot. */

import { bookOfLine } from '@dargah/core/chart.ts';
import { type Money, money, ZERO } from '../core/money.ts';
import type { Queryable } from '../platform/db/index.ts';
import { balancesAt, daySumsByBook } from './day-sums-sql.ts';
import type { BooksSpan } from './months.ts';
import {
  ACCOUNTS_OF_LINE,
  CASH_AT,
  CASH_OF_DAYS,
  MOVED_IN_LINES,
  RESULTS_OF_SPANS,
  SALES_OF_SPANS,
  STANDING_IN_LINES,
  WITHIN_CASH,
  WITHIN_LINE,
} from './report-rows.ts';

export interface TrialLine {
  book: string;
  accounts: number;
  /** What moved from the first day to the last. */
  movedDebit: Money;
  movedCredit: Money;
  /** The balance at the end of the last day. A negative wallet is a claim and stands on the debit side. */
  debit: Money;
  credit: Money;
}

const of = (text: string | null | undefined): Money => money(BigInt(text ?? 0));

/** What moved in a span, and the balance of each line of the trial balance at its end. */
export async function trialBalance(tx: Queryable, span: Omit<BooksSpan, 'id'>, today: string): Promise<TrialLine[]> {
  const moved = await MOVED_IN_LINES(await daySumsByBook(tx, span.lastDay)).rows(tx, [span.firstDay, span.lastDay]);
  const standing = await STANDING_IN_LINES(await balancesAt(tx, span.lastDay, today)).rows(tx, [span.lastDay]);
  const lines = new Map<string, TrialLine>();
  for (const { book, accounts, debit, credit } of standing)
    lines.set(book, { book, accounts, movedDebit: ZERO, movedCredit: ZERO, debit: of(debit), credit: of(credit) });
  for (const { book, moved_debit: movedDebit, moved_credit: movedCredit } of moved) {
    const known = lines.get(book) ?? { book, accounts: 0, debit: ZERO, credit: ZERO };
    lines.set(book, { ...known, movedDebit: of(movedDebit), movedCredit: of(movedCredit) });
  }
  return [...lines.values()].filter(isSaid).sort((a, b) => orderOf(a.book).localeCompare(orderOf(b.book)));
}

/** Books that are no longer used are listed only while they have a balance or moved. */
function isSaid({ book, debit, credit, movedDebit, movedCredit }: TrialLine): boolean {
  return bookOfLine(book)?.class !== 'legacy' || debit !== credit || movedDebit !== ZERO || movedCredit !== ZERO;
}

function orderOf(line: string): string {
  return `${bookOfLine(line)?.code ?? '9999'} ${line}`;
}

export interface SubAccount {
  id: string;
  /** The name of a wallet's account. */
  name: string | null;
  /** Positive on the credit side. */
  posted: Money;
}

/** The accounts behind a line of the trial balance, ordered by id, after a given one. */
export async function subAccounts(
  tx: Queryable,
  { line, day, today }: { line: string; day: string; today: string },
  { after, limit }: { after: string; limit: number },
): Promise<SubAccount[]> {
  const balances = await balancesAt(tx, day, today, WITHIN_LINE);
  const rows = await ACCOUNTS_OF_LINE(balances).rows(tx, [day, line, after, limit]);
  return rows.map(({ posted, ...row }) => ({ ...row, posted: of(posted) }));
}

export interface ProfitLine {
  book: string;
  /** Revenue is split into sales and what was returned; costs into counted ones, billed ones and so on. */
  kind: string;
  /** One for each span; income is positive, expense negative. */
  amounts: Money[];
}

export interface ProfitAndLoss {
  spans: BooksSpan[];
  lines: ProfitLine[];
  /** The sum of all lines. */
  profit: Money[];
  /** Requests of sealed days. */
  requests: number[];
  /** What was sold at an unknown cost, which is missing from the lines. */
  unknownCost: { requests: number; revenue: Money }[];
}

/** The spans are in order and without gaps. */
export async function profitAndLoss(tx: Queryable, spans: readonly BooksSpan[]): Promise<ProfitAndLoss> {
  const [firstDay, lastDay] = [spans[0]?.firstDay ?? '', spans.at(-1)?.lastDay ?? ''];
  const days = [firstDay, lastDay, spans.map((span) => span.firstDay), spans.map((span) => span.lastDay)];
  const rows = await RESULTS_OF_SPANS(await daySumsByBook(tx, lastDay)).rows(tx, days);
  const counts = await SALES_OF_SPANS.rows(tx, days);
  const lines = new Map<string, ProfitLine>();
  for (const { place, book, kind, amount } of rows) {
    const key = `${book} ${kind}`;
    const line = lines.get(key) ?? { book, kind, amounts: spans.map(() => ZERO) };
    line.amounts[place - 1] = of(amount);
    lines.set(key, line);
  }
  const sorted = [...lines.values()].sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  return {
    spans: [...spans],
    lines: sorted,
    profit: spans.map((_, at) => money(sorted.reduce((sum, { amounts }) => sum + (amounts[at] ?? ZERO), 0n))),
    requests: counts.map(({ requests }) => Number(requests)),
    unknownCost: counts.map(({ unknown, revenue }) => ({ requests: Number(unknown), revenue: of(revenue) })),
  };
}

function nameOf({ book, kind }: ProfitLine): string {
  return `${orderOf(book)} ${kind}`;
}

export interface CashDay {
  day: string;
  book: string;
  came: Money;
  went: Money;
  /** The balance at the end of the day. */
  balance: Money;
}

/** Our own money by day: banks, gateways, foreign currency. Days on which nothing moved are left out. */
export async function cashByDay(
  tx: Queryable,
  { firstDay, lastDay }: Pick<BooksSpan, 'firstDay' | 'lastDay'>,
  today: string,
  before: string,
): Promise<CashDay[]> {
  const opening = await CASH_AT(await balancesAt(tx, before, today, WITHIN_CASH)).rows(tx, [before]);
  const balances = new Map(opening.map(({ id, posted }) => [id, money(-BigInt(posted))]));
  const rows = await CASH_OF_DAYS(await daySumsByBook(tx, lastDay, 'by-hand')).rows(tx, [firstDay, lastDay]);
  return rows.map(({ day, book, came, went }) => {
    const balance = money((balances.get(book) ?? ZERO) + of(came) - of(went));
    balances.set(book, balance);
    return { day, book, came: of(came), went: of(went), balance };
  });
}
