/**
 * What was sold and what it cost, grouped by any key: sums of sealed days, and the rows of days that are still open.
 */

import { GIVEN_BACK } from '@dargah/core/transfer-kinds.ts';
import { OPEN_ROWS } from '../ledger/index.ts';
import { column, orNull, type Queryable, type RowOf, statement, statementFor } from '../platform/db/index.ts';

/** First and last day, both included. */
export interface Days {
  first: string;
  last: string;
}

export interface Sums {
  requests: bigint;
  revenue: bigint;
  refunded: bigint;
  /** The cost of answers where it is known. */
  cost: bigint;
  unknownRequests: bigint;
  unknownRevenue: bigint;
  waste: bigint;
}

const sumRow = {
  requests: column.text,
  revenue: column.text,
  refunded: column.text,
  cost: column.text,
  unknownRequests: column.text,
  unknownRevenue: column.text,
  waste: column.text,
};
const keyRow = { ...sumRow, value: column.text };
type SumRow = RowOf<typeof sumRow>;

export const readSums = (row: SumRow): Sums => ({
  requests: BigInt(row.requests),
  revenue: BigInt(row.revenue),
  refunded: BigInt(row.refunded),
  cost: BigInt(row.cost),
  unknownRequests: BigInt(row.unknownRequests),
  unknownRevenue: BigInt(row.unknownRevenue),
  waste: BigInt(row.waste),
});

const SUMMED = `sum(requests)::text as requests, sum(revenue)::text as revenue, sum(refunded)::text as refunded, sum(cost)::text as cost,
  sum(cost_unknown_requests)::text as "unknownRequests", sum(revenue_unknown_cost)::text as "unknownRevenue", sum(waste)::text as waste`;

/** Costs that became known later, in the same columns: they add to the cost and reduce what is unknown. */
const CORRECTED = `0 as requests, 0 as revenue, 0 as refunded, part.amount as cost, -part.requests as cost_unknown_requests,
  -part.revenue as revenue_unknown_cost, 0 as waste
  from cost_correction_part part join cost_correction on cost_correction.id = part.correction_id and state = 'booked'`;

const COLUMNS = 'requests, revenue, refunded, cost, cost_unknown_requests, revenue_unknown_cost, waste';

/** Sealed days, and corrections of any day. $1, $2 days; $3 the last sealed day that counts. */
const sealedBySql = (key: string) => `select ${key} as value, ${SUMMED} from (
   select day, model, provider, ${COLUMNS} from money_model_day where day >= $1 and day <= $2 and day <= $3::date
   union all
   select part.day, part.model, part.provider, ${CORRECTED} where part.day >= $1 and part.day <= $2
 ) as sold group by 1`;
const SEALED_BY = {
  day: statement(keyRow, sealedBySql('day::text')),
  model: statement(keyRow, sealedBySql('model')),
  provider: statement(keyRow, sealedBySql('provider')),
};

export async function sealedBy(db: Queryable, key: keyof typeof SEALED_BY, { first, last }: Days, to: string) {
  const rows = await SEALED_BY[key].rows(db, [first, last, to]);
  return new Map(rows.map((row) => [row.value, readSums(row)]));
}

const SEALED_BY_ROUTE = statement(
  { ...sumRow, model: column.text, provider: column.text },
  `select model, provider, ${SUMMED} from (
     select model, provider, ${COLUMNS} from money_model_day where day >= $1 and day <= $2 and day <= $3::date
     union all
     select part.model, part.provider, ${CORRECTED} where part.day >= $1 and part.day <= $2
   ) as sold group by model, provider`,
);

export async function sealedByRoute(db: Queryable, { first, last }: Days, to: string) {
  const rows = await SEALED_BY_ROUTE.rows(db, [first, last, to]);
  return rows.map((row) => ({ model: row.model, provider: row.provider, sums: readSums(row) }));
}

const SEALED_OF_ACCOUNTS = statement(
  keyRow,
  `select account_id as value, ${SUMMED} from (
     select account_id, ${COLUMNS} from money_account_day
     where account_id = any($4::text[]) and day >= $1 and day <= $2 and day <= $3::date
     union all
     select part.account_id, ${CORRECTED} where part.day >= $1 and part.day <= $2 and part.account_id = any($4::text[])
   ) as sold group by 1`,
);

export async function sealedOfAccounts(db: Queryable, accounts: readonly string[], { first, last }: Days, to: string) {
  const rows = await SEALED_OF_ACCOUNTS.rows(db, [first, last, to, accounts]);
  return new Map(rows.map((row) => [row.value, readSums(row)]));
}

/** Accounts by what they paid, largest first, over sealed and open days together. */
const ACCOUNTS_BY_SALES = statementFor(
  { id: column.text, net: column.text },
  (fetch: number) => `select account_id as id, sum(net)::text as net from (
     select account_id, sum(revenue - refunded) as net from money_account_day
     where day >= $1 and day <= $2 and day <= $3::date group by account_id
     union all
     select * from unnest($4::text[], $5::numeric[])
   ) as sold group by account_id
   having $6::text is null or sum(net) < $7::numeric or (sum(net) = $7::numeric and account_id > $6)
   order by sum(net) desc, account_id limit ${Math.trunc(fetch)}`,
  [100],
);

export async function accountsBySales(
  db: Queryable,
  { first, last }: Days,
  open: { to: string; net: ReadonlyMap<string, bigint> },
  page: { after: { net: string; id: string } | undefined; fetch: number },
): Promise<{ id: string; net: string }[]> {
  return ACCOUNTS_BY_SALES(page.fetch).rows(db, [
    first,
    last,
    open.to,
    [...open.net.keys()],
    [...open.net.values()].map(String),
    page.after?.id ?? null,
    page.after?.net ?? null,
  ]);
}

/**
 * Whether an answer that was not charged had a cost is known when its day is sealed, and so is the cost of failures.
 * Until then only answers that were sold count as unknown.
 */
const OPEN = `
select day, account_id as "accountId", model, provider, ${SUMMED} from (
  select r.booked_on::text as day,
    r.account_id, case when r.error_code = 'model_not_found' then '' else r.model end as model, coalesce(r.provider, '') as provider,
    (r.state <> 'refused')::int as requests, r.cost as revenue, 0 as refunded, coalesce(r.provider_cost, 0) as cost,
    (r.provider is not null and r.provider_cost is null and r.cost > 0)::int as cost_unknown_requests,
    case when r.provider is not null and r.provider_cost is null then r.cost else 0 end as revenue_unknown_cost, 0 as waste
  from ${OPEN_ROWS.requests} as r where r.state <> 'running'
  union all
  select home_day(back.created_at)::text, coalesce(back.account_id, ''), coalesce(log.model, ''), coalesce(log.provider, ''),
    0, 0, back.amount, 0, 0, 0, 0
  from ledger_transfer back left join request_log log on log.id = back.request_id
  where back.kind in ${GIVEN_BACK} and back.created_at >= coalesce((select unsealed_at from ledger_clock), '-infinity')
) as sold
group by grouping sets ((day, model, provider), (day, account_id))`;

export const SEALED_TO = statement({ to: column.text }, 'select sealed_to::text as to from ledger_clock');

export const OPEN_SUMS = statement(
  {
    ...sumRow,
    day: column.text,
    accountId: orNull(column.text),
    model: orNull(column.text),
    provider: orNull(column.text),
  },
  OPEN,
);

export const VENDORS_OF_PROVIDERS = statement(
  { id: column.text, vendor: orNull(column.text) },
  'select id, vendor from provider',
);
