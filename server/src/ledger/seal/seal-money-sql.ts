/**
 * Statements that compare what was sold on a day and what it cost with what was charged and booked for it, and those
 * that make the sums for profit.
 */
import { column, command, statement } from '../../platform/db/index.ts';

/** $1 walk. A difference is a fault of the check `money-days`. */
export const REVENUE_DIFFERS = statement(
  { written: column.text, expected: column.text },
  `
  select sold::text as written, charged::text as expected from (
    select (select coalesce(sum(revenue), 0) from walk_money where walk = $1) as sold,
      (select coalesce(sum(amount), 0) from walk_day where walk = $1 and kind = 'charge') as charged
  ) as sums where sold <> charged`,
);

const costDifference = { provider: column.text, written: column.text, expected: column.text };

/** $1 walk. By provider, what the day's requests say against what was booked: a fault of the check `cost-days`. */
const costDiffers = (sum: string, kinds: string) => `
  select provider, coalesce(booked.amount, 0)::text as written, coalesce(cost.amount, 0)::text as expected
  from (select provider, sum(${sum}) as amount from walk_money where walk = $1 group by provider having sum(${sum}) <> 0) as cost
    full join (select substr(credit, 10) as provider, sum(amount) as amount from walk_day where walk = $1 and kind in ${kinds} group by credit) as booked using (provider)
  where coalesce(cost.amount, 0) <> coalesce(booked.amount, 0) order by provider`;

export const COST_DIFFERS = statement(costDifference, costDiffers('cost', `('provider-cost')`));

/** The kinds of costs that are booked on a day beside the answers that were sold. */
export const UNSOLD_KINDS = `('waste', 'probe', 'continuation')`;

export const WASTE_DIFFERS = statement(costDifference, costDiffers('waste', UNSOLD_KINDS));

/**
 * 0.1.0 books the cost of a batch over midnight on its second day, and gives its transfers no day in their ids. $1, $2: from, to;
 * $3 day.
 */
export const BOOKED_BEFORE = statement(
  {},
  `
  select from ledger_transfer where kind = 'provider-cost' and created_at >= $1 and created_at < $2 and id not like '%:____-__-__'
  union all
  select from late_request late join ledger_transfer t on t.id = late.id
  where late.booked_on >= $3::date and late.booked_on <= $3::date + 1 and t.kind = 'provider-cost' and t.id not like '%:____-__-__'
  limit 1`,
);

const SUMMED =
  'sum(requests), sum(revenue), sum(refunded), sum(cost), sum(cost_unknown_requests), sum(revenue_unknown_cost), sum(waste)';

/** By table: its rows of the day $1, made from money_day. */
export const PROFIT_SUMS = {
  money_model_day: `select day, model, provider, ${SUMMED} from money_day where day = $1 group by day, model, provider`,
  money_account_day: `select day, account_id, ${SUMMED} from money_day where day = $1 group by day, account_id`,
} as const;

export const KEPT_FROM = statement({ from: column.timestamp }, 'select kept_from as from from request_log_horizon');

export const OLDER_LATE_REQUEST = statement(
  {},
  `select from late_request where booked_on = $1 and id like 'req\\_%' and id < $2 limit 1`,
);

export const COUNTS_WASTE = statement({}, 'select from cost_clock where waste_from <= $1::date');

export const FORGET_LATE = command('delete from late_request where id = any($1::text[])');

const unsoldOf = (amount: string) =>
  statement(
    { provider: column.text, amount: column.text },
    `select provider, ${amount}::text as amount from walk_money where walk = 'seal' group by provider having ${amount} > 0 order by provider`,
  );

/** For each kind of transfer: what a day cost without being sold, by provider. */
export const UNSOLD = {
  waste: unsoldOf('sum(waste - probes - continuations)'),
  probe: unsoldOf('sum(probes)'),
  continuation: unsoldOf('sum(continuations)'),
} as const;
