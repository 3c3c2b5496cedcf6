/** What was sold on a day and what it cost, against what was charged and booked for it; and the sums that profit is read from. */
import type { Queryable } from '../../platform/db/database.ts';
import { dayAfter, firstChargeId, startOfDay } from './home-days.ts';
import type { Faults } from './walk.ts';

/** $1 walk. A difference is a fault of the check `money-days`. */
const REVENUE_DIFFERS = `
  select sold::text as written, charged::text as expected from (
    select (select coalesce(sum(revenue), 0) from walk_money where walk = $1) as sold,
      (select coalesce(sum(amount), 0) from walk_day where walk = $1 and kind = 'charge') as charged
  ) as sums where sold <> charged`;

/** $1 walk. By provider, what the day's requests say against what was booked: a fault of the check `cost-days`. */
const costDiffers = (column: string, kinds: string) => `
  select provider, coalesce(booked.amount, 0)::text as written, coalesce(cost.amount, 0)::text as expected
  from (select provider, sum(${column}) as amount from walk_money where walk = $1 group by provider having sum(${column}) <> 0) as cost
    full join (select substr(credit, 10) as provider, sum(amount) as amount from walk_day where walk = $1 and kind in ${kinds} group by credit) as booked using (provider)
  where coalesce(cost.amount, 0) <> coalesce(booked.amount, 0) order by provider`;
const COST_DIFFERS = costDiffers('cost', `('provider-cost')`);
/** What is booked of a day beside the answers that were sold. */
export const UNSOLD_KINDS = `('waste', 'probe', 'continuation')`;
const WASTE_DIFFERS = costDiffers('waste', UNSOLD_KINDS);

/**
 * 0.1.0 books the cost of a batch over midnight on its second day, and gives its transfers no day in their ids. $1, $2: from, to;
 * $3 day.
 */
const BOOKED_BEFORE = `
  select from ledger_transfer where kind = 'provider-cost' and created_at >= $1 and created_at < $2 and id not like '%:____-__-__'
  union all
  select from late_request late join ledger_transfer t on t.id = late.id
  where late.booked_on >= $3::date and late.booked_on <= $3::date + 1 and t.kind = 'provider-cost' and t.id not like '%:____-__-__'
  limit 1`;

interface Difference {
  provider?: string;
  written: string;
  expected: string;
}

/** For as long as the log is there. */
export async function moneyFaults(tx: Queryable, walk: 'seal' | 'read', day: string): Promise<Faults> {
  if (!(await isInLog(tx, day))) return {};
  const told = (rows: Difference[]) =>
    rows.map(({ provider, written, expected }) =>
      [day, ...(provider === undefined ? [] : [provider]), `${written} instead of ${expected}`].join(': '),
    );
  const sold = told(await tx.query<Difference>(REVENUE_DIFFERS, [walk]));
  let cost = await tx.query<Difference>(COST_DIFFERS, [walk]);
  if (cost.length > 0 && (await wasBookedBefore(tx, day))) cost = [];
  const costs = told([...cost, ...(await tx.query<Difference>(WASTE_DIFFERS, [walk]))]);
  return { 'money-days': { total: sold.length, such: sold }, 'cost-days': { total: costs.length, such: costs } };
}

async function wasBookedBefore(tx: Queryable, day: string): Promise<boolean> {
  const times = [day, dayAfter(day, 2)].map((at) => new Date(startOfDay(at)));
  return (await tx.query(BOOKED_BEFORE, [...times, day])).length > 0;
}

/** Retention drops days of UTC, of which one of Tehran touches two; what came late is of an earlier day. */
export async function isInLog(tx: Queryable, day: string): Promise<boolean> {
  const [horizon] = await tx.query<{ from: Date }>('select kept_from as from from request_log_horizon');
  if (!horizon) return true;
  if (horizon.from.getTime() > startOfDay(day)) return false;
  const older = await tx.query(
    `select from late_request where booked_on = $1 and id like 'req\\_%' and id < $2 limit 1`,
    [day, firstChargeId(horizon.from.getTime())],
  );
  return older.length === 0;
}

const SUMMED =
  'sum(requests), sum(revenue), sum(refunded), sum(cost), sum(cost_unknown_requests), sum(revenue_unknown_cost), sum(waste)';

/** By table: its rows of the day $1, made from money_day. */
export const PROFIT_SUMS = {
  money_model_day: `select day, model, provider, ${SUMMED} from money_day where day = $1 group by day, model, provider`,
  money_account_day: `select day, account_id, ${SUMMED} from money_day where day = $1 group by day, account_id`,
} as const;
