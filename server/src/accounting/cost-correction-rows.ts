/** The statements on corrections of costs. */

import type { RatesText } from '../catalog/index.ts';
import type { Money } from '../core/money.ts';
import { money } from '../core/money.ts';
import { column, command, orNull, type RowOf, statement, statementFor } from '../platform/db/index.ts';

export interface CostCorrection {
  id: string;
  provider: string;
  model: string;
  upstream: string;
  state: 'running' | 'booked';
  from: Date;
  requests: number;
  revenue: Money;
  amount: Money;
  createdAt: Date;
  bookedAt: Date | null;
}

const uncostedRow = {
  id: column.text,
  account_id: column.text,
  day: column.text,
  cost: column.text,
  detail: column.text,
};

const COLUMNS = `id, provider_id as provider, model_id as model, upstream_model as upstream, state, from_at as "from", requests::int as requests,
  revenue::text as revenue, amount::text as amount, created_at as "createdAt", booked_at as "bookedAt"`;

const openRow = {
  provider_id: column.text,
  model_id: column.text,
  upstream_model: column.text,
  price: column.jsonOf<RatesText>(),
  from_at: column.timestamp,
  to_at: column.timestamp,
  after_id: column.text,
};
export type OpenCorrection = RowOf<typeof openRow>;

const correctionRow = {
  id: column.text,
  provider: column.text,
  model: column.text,
  upstream: column.text,
  state: column.textOf<CostCorrection['state']>(),
  from: column.timestamp,
  requests: column.int,
  revenue: column.text,
  amount: column.text,
  createdAt: column.timestamp,
  bookedAt: orNull(column.timestamp),
};
type Row = RowOf<typeof correctionRow>;

export const toCorrection = (row: Row): CostCorrection => ({
  ...row,
  revenue: money(BigInt(row.revenue)),
  amount: money(BigInt(row.amount)),
});

export const RUNNING_CORRECTIONS = statement(
  { id: column.text },
  `select id from cost_correction where state = 'running' order by id`,
);

export const CORRECTIONS = statement(
  correctionRow,
  `select ${COLUMNS} from cost_correction order by cost_correction.created_at desc, id desc limit $1`,
);

export const COST_OF_ROUTE = statement(
  { cost: orNull(column.jsonOf<RatesText>()) },
  'select cost from route where provider_id = $1 and model_id = $2 and upstream_model = $3',
);

export const INSERT_CORRECTION = statement(
  { id: column.text },
  `insert into cost_correction (id, provider_id, model_id, upstream_model, price, from_at, to_at, state, asked_by, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, 'running', $8, $7)
   on conflict (provider_id, model_id, upstream_model) where state = 'running' do nothing returning id`,
);

export const CORRECTION = statement(
  correctionRow,
  `select ${COLUMNS} from cost_correction where id = $1 or (state = 'running' and provider_id = $2 and model_id = $3 and upstream_model = $4)`,
);

export const LAST_CLOSED_DAY = statement(
  { day: orNull(column.text) },
  `select max(last_day)::text as day from ledger_period where state = 'closed'`,
);

export const OPEN_CORRECTION = statement(
  openRow,
  `select provider_id, model_id, upstream_model, price, from_at, to_at, after_id from cost_correction
   where id = $1 and state = 'running' for update skip locked`,
);

export const GO_ON_AFTER = command('update cost_correction set after_id = $2 where id = $1');

export const UNCOSTED = statement(
  uncostedRow,
  `select r.id, r.account_id, coalesce(late.booked_on, home_day(r.created_at))::text as day, r.cost::text as cost, r.detail
   from request_log r left join late_request late on late.id = r.id
   where r.created_at >= $1 and r.created_at < $2 and r.id > $3 and r.id <= $4
     and r.provider = $5 and r.model = $6 and r.provider_cost is null and r.state <> 'running'`,
);

export const ADD_CORRECTED = command(`with fresh as (
     insert into cost_corrected (request_id, correction_id) select request_id, $1 from unnest($2::text[]) as asked (request_id)
     on conflict do nothing returning request_id
   ), part as (
     select day::date as day, account_id, cost::numeric as cost, amount::numeric as amount
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) as found (request_id, day, account_id, cost, amount)
       join fresh using (request_id)
   ), kept as (
     insert into cost_correction_part as known (correction_id, day, account_id, model, provider, requests, revenue, amount)
     select $1, day, account_id, $7, $8, count(*), sum(cost), sum(amount) from part group by day, account_id
     on conflict (correction_id, day, account_id, model, provider) do update set requests = known.requests + excluded.requests,
       revenue = known.revenue + excluded.revenue, amount = known.amount + excluded.amount
   )
   update cost_correction set requests = requests + sums.n, revenue = revenue + sums.cost, amount = cost_correction.amount + sums.amount
   from (select count(*) as n, coalesce(sum(cost), 0) as cost, coalesce(sum(amount), 0) as amount from part) as sums where id = $1`);

export const BOOK_CORRECTION = statement(
  { amount: column.text },
  `update cost_correction set state = 'booked', booked_at = $2 where id = $1 returning amount::text as amount`,
);

/** The next rows of the log. The number of rows stands in the text of the statement, so that the planner knows it. */
export const SLICE_OF_LOG = statementFor(
  { read: column.bigint, place: orNull(column.text) },
  (rows: number) => `select count(*) as read, max(id) as place from (
     select id from request_log where created_at >= $1 and created_at < $2 and id > $3 order by id limit ${Math.trunc(rows)}) as slice`,
  [1],
);
