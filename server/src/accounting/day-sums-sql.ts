/**
 * The source of all reports: the sums of sealed days, which outlive every log, and the open rows of days that are not
 * sealed yet. All wallets are one book, `wallets`; every other book stands for itself.
 */
import { OPEN_BY_HAND, OPEN_ROWS, readSealClock } from '../ledger/index.ts';
import type { Queryable } from '../platform/db/index.ts';

const folded = (book: string): string => `case when ${book} like 'wallet:%' then 'wallets' else ${book} end`;

/** Which transfers are read: all, or all except those of requests, which are many and contain neither cash nor tax. */
type Kinds = 'all' | 'by-hand';
const OPEN_OF: Record<Kinds, string> = { all: OPEN_ROWS.transfers, 'by-hand': OPEN_BY_HAND };

const SEALED =
  'select day, debit, credit, kind, transfers, amount from ledger_day where day between $1::date and $2::date';
const openSums = (kinds: Kinds): string => `
  select day, debit, credit, kind, count(*) as transfers, sum(amount) as amount from (
    select t.booked_on as day, ${folded('t.debit')} as debit, ${folded('t.credit')} as credit, t.kind, t.amount
    from ${OPEN_OF[kinds]} as t
  ) as open_row where day between $1::date and $2::date group by day, debit, credit, kind`;

/** The last day whose sums are sealed; null when no day is sealed yet. */
async function sealedTo(tx: Queryable): Promise<string | null> {
  return (await readSealClock(tx))?.sealedTo ?? null;
}

/** SQL that may follow `from`: `day, debit, credit, kind, transfers, amount` of the days from $1 to $2. */
async function daySums(tx: Queryable, lastDay: string, kinds: Kinds = 'all'): Promise<string> {
  return (await daySumsUpTo(tx))(lastDay, kinds);
}

/** The same for a report that goes day by day: open rows are read only for days that are not sealed. */
export async function daySumsUpTo(tx: Queryable): Promise<(lastDay: string, kinds?: Kinds) => string> {
  const sealed = await sealedTo(tx);
  return (lastDay, kinds = 'all') => sumsOf(sealed !== null && lastDay <= sealed, kinds);
}

function sumsOf(isSealed: boolean, kinds: Kinds): string {
  return isSealed ? `(${SEALED})` : `(${SEALED} union all ${openSums(kinds)})`;
}

/** The same, grouped by book: `day, book, kind, debit, credit`. */
export async function daySumsByBook(tx: Queryable, lastDay: string, kinds: Kinds = 'all'): Promise<string> {
  return byBook(await daySums(tx, lastDay, kinds));
}

const byBook = (sums: string): string => `(
    select day, leg.book, kind, leg.debit, leg.credit from ${sums} as sums
    cross join lateral (values (sums.debit, amount, 0::numeric), (sums.credit, 0::numeric, amount)) as leg (book, debit, credit))`;

/** Sums in each of their forms, for the test that describes every statement. */
export const SUMS_IN_EACH_FORM = [sumsOf(true, 'all'), sumsOf(false, 'all'), sumsOf(false, 'by-hand')];
export const BOOK_SUMS_IN_EACH_FORM = SUMS_IN_EACH_FORM.map(byBook);

/**
 * SQL that may follow `from`: `id, posted` of every account at the end of day $1. Accounts that had not moved until
 * then are left out. `within` narrows the accounts, by `account.id`.
 */
export async function balancesAt(tx: Queryable, day: string, today: string, within = 'true'): Promise<string> {
  const sealed = await sealedTo(tx);
  if (day >= today) return balancesOf('present', within);
  return balancesOf(sealed !== null && day <= sealed ? 'sealed' : 'open', within);
}

const FORMS = ['present', 'sealed', 'open'] as const;

/** Balances in each of their forms, for the test that describes every statement. */
export function balancesInEachForm(within = 'true'): string[] {
  return FORMS.map((form) => balancesOf(form, within));
}

function balancesOf(form: (typeof FORMS)[number], within: string): string {
  if (form === 'present')
    return `(select account.id, posted from ledger_account account where ${within} and $1::date is not null)`;
  const kept = `
    select account.id, kept.posted from ledger_account account cross join lateral (
      select posted from ledger_balance b where b.id = account.id and b.day <= $1::date order by b.day desc limit 1
    ) as kept where ${within}`;
  if (form === 'sealed') return `(${kept})`;
  return `(
    select id, sum(posted) as posted from (
      ${kept} union all
      select account.id, account.amount from (
        select leg.id, leg.amount from (
          select debit, credit, sum(amount) as amount from ${OPEN_ROWS.transfers} as t where t.booked_on <= $1::date group by debit, credit
        ) as pair cross join lateral (values (pair.debit, -pair.amount), (pair.credit, pair.amount)) as leg (id, amount)
      ) as account where ${within}
    ) as part group by id)`;
}
