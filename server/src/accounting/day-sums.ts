/**
 * Where reports come from: the sums of sealed days, which outlive every log, and for days that are not sealed yet the open rows.
 * All wallets are one book, `wallets`; every other book stands apart.
 */
import { OPEN_ROWS, readSealClock } from '../ledger/index.ts';
import type { Queryable } from '../platform/db/index.ts';

const folded = (column: string): string => `case when ${column} like 'wallet:%' then 'wallets' else ${column} end`;

/** The day that an open transfer is booked on. */
const BOOKED_ON = `coalesce((select late.booked_on from late_request late where late.id = t.id), home_day(t.created_at))`;

const SEALED =
  'select day, debit, credit, kind, transfers, amount from ledger_day where day between $1::date and $2::date';
const OPEN = `
  select day, debit, credit, kind, count(*) as transfers, sum(amount) as amount from (
    select ${BOOKED_ON} as day, ${folded('t.debit')} as debit, ${folded('t.credit')} as credit, t.kind, t.amount
    from ${OPEN_ROWS.transfers} as t
  ) as open_row where day between $1::date and $2::date group by day, debit, credit, kind`;

/** Everything up to this day is in the sums of sealed days. Null: no day is sealed yet. */
async function sealedTo(tx: Queryable): Promise<string | null> {
  return (await readSealClock(tx))?.sealedTo ?? null;
}

/** SQL that may stand behind `from`: `day, debit, credit, kind, transfers, amount` of the days from $1 to $2. */
export async function daySums(tx: Queryable, lastDay: string): Promise<string> {
  const sealed = await sealedTo(tx);
  return sealed !== null && lastDay <= sealed ? `(${SEALED})` : `(${SEALED} union all ${OPEN})`;
}

/** The same by book: `day, book, kind, debit, credit`. */
export async function daySumsByBook(tx: Queryable, lastDay: string): Promise<string> {
  return `(
    select day, leg.book, kind, leg.debit, leg.credit from ${await daySums(tx, lastDay)} as sums
    cross join lateral (values (sums.debit, amount, 0::numeric), (sums.credit, 0::numeric, amount)) as leg (book, debit, credit))`;
}

/**
 * SQL that may stand behind `from`: `id, posted` of every account at the end of a day, $1. Those that had not moved until then are
 * left out. `within` narrows the accounts, by `account.id`.
 */
export async function balancesAt(tx: Queryable, day: string, today: string, within = 'true'): Promise<string> {
  const sealed = await sealedTo(tx);
  if (day >= today)
    return `(select account.id, posted from ledger_account account where ${within} and $1::date is not null)`;
  const kept = `
    select account.id, kept.posted from ledger_account account cross join lateral (
      select posted from ledger_balance b where b.id = account.id and b.day <= $1::date order by b.day desc limit 1
    ) as kept where ${within}`;
  if (sealed !== null && day <= sealed) return `(${kept})`;
  return `(
    select id, sum(posted) as posted from (
      ${kept} union all
      select account.id, account.amount from (
        select leg.id, leg.amount from ${OPEN_ROWS.transfers} as t
        cross join lateral (values (t.debit, -t.amount), (t.credit, t.amount)) as leg (id, amount)
        where ${BOOKED_ON} <= $1::date
      ) as account where ${within}
    ) as part group by id)`;
}
