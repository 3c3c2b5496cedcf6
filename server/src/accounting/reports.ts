/** What the books say of any day, month or year: read from daily sums, each answer from one snapshot. */
import { bookOfLine, lineSql } from '@dargah/core/chart.ts';
import { type Money, money, ZERO } from '../core/money.ts';
import type { Queryable } from '../platform/db/index.ts';
import { balancesAt, daySumsByBook } from './day-sums.ts';
import type { BooksSpan } from './months.ts';

export interface TrialLine {
  book: string;
  accounts: number;
  /** What moved from the first day to the last. */
  movedDebit: Money;
  movedCredit: Money;
  /** What stands there at the end of the last day: a negative wallet is a claim and stands on the debit side. */
  debit: Money;
  credit: Money;
}

interface TrialRow {
  book: string;
  accounts: number | null;
  moved_debit: string | null;
  moved_credit: string | null;
  debit: string | null;
  credit: string | null;
}

const of = (text: string | null | undefined): Money => money(BigInt(text ?? 0));

/** What moved in a span, and what stood in each line of the trial balance at its end. */
export async function trialBalance(tx: Queryable, span: Omit<BooksSpan, 'id'>, today: string): Promise<TrialLine[]> {
  const moved = await tx.query<TrialRow>(
    `select ${lineSql('book')} as book, sum(debit)::text as moved_debit, sum(credit)::text as moved_credit
     from ${await daySumsByBook(tx, span.lastDay)} as leg group by 1`,
    [span.firstDay, span.lastDay],
  );
  const standing = await tx.query<TrialRow>(
    `select ${lineSql('id')} as book, count(*)::int as accounts, sum(greatest(-posted, 0))::text as debit,
       sum(greatest(posted, 0))::text as credit
     from ${await balancesAt(tx, span.lastDay, today)} as balance group by 1`,
    [span.lastDay],
  );
  const lines = new Map<string, TrialLine>();
  for (const row of [...standing, ...moved]) {
    const known = lines.get(row.book);
    lines.set(row.book, {
      book: row.book,
      accounts: row.accounts ?? known?.accounts ?? 0,
      movedDebit: of(row.moved_debit),
      movedCredit: of(row.moved_credit),
      debit: known?.debit ?? of(row.debit),
      credit: known?.credit ?? of(row.credit),
    });
  }
  return [...lines.values()].filter(isSaid).sort((a, b) => orderOf(a.book).localeCompare(orderOf(b.book)));
}

/** Closed books of former times are named only while something stands in them or moved. */
function isSaid({ book, debit, credit, movedDebit, movedCredit }: TrialLine): boolean {
  return bookOfLine(book)?.class !== 'legacy' || debit !== credit || movedDebit !== ZERO || movedCredit !== ZERO;
}

function orderOf(line: string): string {
  return `${bookOfLine(line)?.code ?? '9999'} ${line}`;
}

export interface SubAccount {
  id: string;
  /** Of a wallet: what its account is called. */
  name: string | null;
  /** Positive: it stands on the credit side. */
  posted: Money;
}

/** The accounts behind a line of the trial balance, in the order of their ids, after one of them. */
export async function subAccounts(
  tx: Queryable,
  { line, day, today }: { line: string; day: string; today: string },
  { after, limit }: { after: string; limit: number },
): Promise<SubAccount[]> {
  const within = `${lineSql('account.id')} = $2 and account.id > $3`;
  const rows = await tx.query<{ id: string; name: string | null; posted: string }>(
    `select balance.id, account.name, balance.posted::text as posted
     from ${await balancesAt(tx, day, today, within)} as balance
     left join account on balance.id = 'wallet:' || account.id
     order by balance.id limit $4`,
    [day, line, after, limit],
  );
  return rows.map(({ posted, ...row }) => ({ ...row, posted: of(posted) }));
}

export interface ProfitLine {
  book: string;
  /** Revenue is split into sales and what was given back; costs into what was counted, billed and so on. */
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
  /** Sold at a cost that nobody knows: no cost of it is in the lines. */
  unknownCost: { requests: number; revenue: Money }[];
}

const RESULT_BOOKS = `book in (${['revenue', 'costs', 'gateway-fees', 'bank-fees', 'promotions', 'corrections', 'bad-debt', 'fx-difference'].map((id) => `'${id}'`).join(', ')})`;
const IN_SPANS = 'unnest($3::date[], $4::date[]) with ordinality as span (first_day, last_day, place)';

/** Spans in order, without holes between them. */
export async function profitAndLoss(tx: Queryable, spans: readonly BooksSpan[]): Promise<ProfitAndLoss> {
  const [firstDay, lastDay] = [spans[0]?.firstDay ?? '', spans.at(-1)?.lastDay ?? ''];
  const days = [firstDay, lastDay, spans.map((span) => span.firstDay), spans.map((span) => span.lastDay)];
  const rows = await tx.query<{ place: number; book: string; kind: string; amount: string }>(
    `select span.place::int as place, book, kind, sum(credit - debit)::text as amount
     from ${await daySumsByBook(tx, lastDay)} as leg join ${IN_SPANS} on leg.day between span.first_day and span.last_day
     where ${RESULT_BOOKS} group by 1, 2, 3`,
    days,
  );
  const counts = await tx.query<{ place: number; requests: string; unknown: string; revenue: string }>(
    `select span.place::int as place,
       (select coalesce(sum(requests), 0) from ledger_seal where day between span.first_day and span.last_day)::text as requests,
       unknown.requests::text as unknown, unknown.revenue::text as revenue
     from ${IN_SPANS} cross join lateral (
       select coalesce(sum(cost_unknown_requests), 0) as requests, coalesce(sum(revenue_unknown_cost), 0) as revenue
       from money_day where day between span.first_day and span.last_day and cost_unknown_requests > 0
     ) as unknown where $1::date <= $2::date order by span.place`,
    days,
  );
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
  /** At the end of the day. */
  balance: Money;
}

const CASH = `(book like 'bank:%' or book like 'gateway:%' or book like 'fx:%')`;

/** Money of ours, by day: banks, gateways, foreign currency. Days on which nothing moved are left out. */
export async function cashByDay(
  tx: Queryable,
  { firstDay, lastDay }: Pick<BooksSpan, 'firstDay' | 'lastDay'>,
  today: string,
  before: string,
): Promise<CashDay[]> {
  const opening = await tx.query<{ id: string; posted: string }>(
    `select id as id, posted::text as posted from ${await balancesAt(tx, before, today, CASH.replaceAll('book', 'account.id'))} as balance`,
    [before],
  );
  const balances = new Map(opening.map(({ id, posted }) => [id, money(-BigInt(posted))]));
  const rows = await tx.query<{ day: string; book: string; came: string; went: string }>(
    `select day::text as day, book, sum(debit)::text as came, sum(credit)::text as went
     from ${await daySumsByBook(tx, lastDay, 'by-hand')} as leg where ${CASH} group by leg.day, book order by leg.day, book`,
    [firstDay, lastDay],
  );
  return rows.map(({ day, book, came, went }) => {
    const balance = money((balances.get(book) ?? ZERO) + of(came) - of(went));
    balances.set(book, balance);
    return { day, book, came: of(came), went: of(went), balance };
  });
}
