/**
 * Every statement that moves money, in one reviewed place.
 *
 * Signs: an account's `posted` is credits − debits. A charge debits the wallet and credits revenue; a top-up debits cash and
 * credits the wallet. Each transfer changes two accounts by the same amount, so the sum over all accounts stays zero.
 *
 * Locks: every statement changes rows in the order of their ids (an INSERT … SELECT … ORDER BY … ON CONFLICT locks in the
 * order of its input) and tables in the order ledger_account, spend_counter, usage_daily. Two replicas therefore wait for each
 * other, but never in a circle.
 */

/** The columns of a request as they stand in its text (requestlog/record-text.ts). */
const REQUEST_ROW = `
  id text, created_at float8, account_id text, key_id text, endpoint text, model text, stream boolean, held numeric,
  price_version text, day date, state text, error_code text, status integer, input_tokens bigint, output_tokens bigint,
  cost numeric, provider text, provider_cost numeric, duration_ms integer, counters text, detail text`;

/** Written when a request ends. */
const CLOSING_COLUMNS = [
  'state',
  'error_code',
  'status',
  'input_tokens',
  'output_tokens',
  'cost',
  'provider',
  'provider_cost',
  'duration_ms',
  'counters',
  'detail',
];

const OPENING_COLUMNS = 'account_id, key_id, endpoint, model, stream, held, price_version, day';
/** What the end of a request replaces in the row of one that was announced as running; another model may have answered. */
const REPLACED_COLUMNS = [...CLOSING_COLUMNS, 'model', 'price_version', 'day'];

/**
 * Posts a batch of closed requests: log rows, transfers, balances, spend counters and roll-up in one statement, which is one
 * transaction and one round trip. $1 is the JSON array of request texts; answers the balances and counters it changed.
 *
 * Idempotent, since the answer of a commit can get lost and a journal is posted again after a crash:
 *   `fresh`   a request counts once: when its row is new, or when it was there as `running`; where retention has dropped the
 *             rows of its day, when it has no charge
 *   `charge`  a transfer counts once: its id is the request's, and only new transfers move balances and counters
 * Both must hold for money to move, so that neither a dropped partition nor a retry can charge twice.
 */
export const POST_BATCH = `
with batch as materialized (
  select * from json_to_recordset($1::json) as row(${REQUEST_ROW})
), fresh as (
  insert into request_log (id, created_at, ${OPENING_COLUMNS}, ${CLOSING_COLUMNS.join(', ')})
  select id, to_timestamp(created_at / 1000), ${OPENING_COLUMNS}, ${CLOSING_COLUMNS.join(', ')} from batch
  where to_timestamp(created_at / 1000) >= coalesce((select kept_from from request_log_horizon), '-infinity')
    or not exists (select from ledger_transfer where ledger_transfer.id = batch.id)
  order by id
  on conflict (id, created_at) do update set ${REPLACED_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}
    where request_log.state = 'running'
  returning id, created_at, account_id, key_id, model, day, input_tokens, output_tokens, cost, price_version, provider,
    provider_cost, counters
), charge as (
  insert into ledger_transfer (id, debit, credit, amount, kind, account_id, request_id, price_version, created_at)
  select id, 'wallet:' || account_id, 'revenue', cost, 'charge', account_id, id, price_version, created_at
  from fresh where cost > 0 order by id
  on conflict (id) do nothing
  returning id, debit, credit, amount
), supply as (
  -- One transfer per batch and provider. Each request is fresh once, so the smallest id names the group for ever.
  insert into ledger_transfer (id, debit, credit, amount, kind, created_at)
  select 'supply:' || provider || ':' || min(id), 'costs', 'provider:' || provider, sum(provider_cost), 'provider-cost',
    max(created_at)
  from fresh where provider is not null and provider_cost > 0 group by provider order by provider
  on conflict (id) do nothing
  returning debit, credit, amount
), moved as (
  select debit, credit, amount from charge union all select debit, credit, amount from supply
), balance as (
  insert into ledger_account as account (id, posted, version)
  select id, sum(amount), 1
  from (select debit as id, -amount as amount from moved union all select credit, amount from moved) as leg
  group by id order by id
  on conflict (id) do update set posted = account.posted + excluded.posted, version = account.version + 1
  returning id, posted, version
), spent as (
  insert into spend_counter as counter (id, spent, version)
  -- Requests of one key name the same counters: added up first, so that a thousand lists are not taken apart one by one.
  select budget, sum(same.amount), 1
  from (select counters, sum(charge.amount) as amount from charge join fresh using (id) group by counters) as same
    cross join string_to_table(same.counters, E'\\n') as budget
  group by budget order by budget
  on conflict (id) do update set spent = counter.spent + excluded.spent, version = counter.version + 1
  returning id, spent, version
), daily as (
  insert into usage_daily as total (account_id, day, key_id, model, requests, input_tokens, output_tokens, cost)
  select account_id, day, key_id, model, count(*), sum(input_tokens), sum(output_tokens), sum(cost)
  from fresh group by account_id, day, key_id, model order by account_id, day, key_id, model
  on conflict (account_id, day, key_id, model) do update set
    requests = total.requests + excluded.requests, input_tokens = total.input_tokens + excluded.input_tokens,
    output_tokens = total.output_tokens + excluded.output_tokens, cost = total.cost + excluded.cost
)
select id as budget, (-posted)::text as posted, version from balance where id like 'wallet:%'
union all
select id, spent::text, version from spent`;

/** Long-running requests, so that other replicas can see them. Their closing replaces the row. */
export const ANNOUNCE_RUNNING = `
insert into request_log (id, created_at, ${OPENING_COLUMNS}, state, cost, detail)
select id, to_timestamp(created_at / 1000), ${OPENING_COLUMNS}, 'running', 0, detail
from json_to_recordset($1::json) as row(${REQUEST_ROW}) order by id
on conflict do nothing`;

/** What admission mirrors: the wallet's negative balance, and the counters of caps. $1: budget ids. */
export const LOAD_POSTED = `
select id as budget, (-posted)::text as posted, version from ledger_account where id = any($1) and id like 'wallet:%'
union all
select id, spent::text, version from spend_counter where id = any($1)`;

/** $1 id, $2 debit, $3 credit, $4 amount, $5 kind, $6 account, $7 request, $8 note, $9 milliseconds. */
export const INSERT_TRANSFER = `
insert into ledger_transfer (id, debit, credit, amount, kind, account_id, request_id, note, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9::float8 / 1000))
on conflict (id) do nothing
returning id`;

export const FIND_TRANSFER = `
select debit, credit, amount::text as amount, kind, account_id, request_id from ledger_transfer where id = $1`;

/** Both legs of one transfer. $1 debit, $2 credit, $3 amount. */
export const MOVE_BALANCES = `
insert into ledger_account as account (id, posted, version)
select id, amount, 1 from (values ($1::text, -$3::numeric), ($2::text, $3::numeric)) as leg(id, amount) order by id
on conflict (id) do update set posted = account.posted + excluded.posted, version = account.version + 1`;

export const READ_WALLET = `select posted::text as posted, version from ledger_account where id = $1`;

/** The request a refund belongs to, locked so that two refunds cannot both fit. */
export const LOCK_CHARGED_REQUEST = `
select cost::text as cost, counters from request_log where id = $1 and account_id = $2 for update`;

export const REFUNDED_SO_FAR = `
select coalesce(sum(amount), 0)::text as amount from ledger_transfer where kind = 'refund' and request_id = $1`;

/** A refund gives the caps back what it returns to the wallet. $1 counters, one per line, $2 amount. */
export const LOWER_COUNTERS = `
insert into spend_counter as counter (id, spent, version)
select budget, -$2::numeric, 1 from string_to_table($1, E'\\n') as budget order by budget
on conflict (id) do update set spent = counter.spent + excluded.spent, version = counter.version + 1`;

/** Newest first. $1 account, $2 below this sequence number (null: from the top), $3 limit. */
export const HISTORY = `
select id, seq, kind, account_id, request_id, price_version, note, created_at,
  (case when credit = 'wallet:' || account_id then amount else -amount end)::text as amount
from ledger_transfer
where account_id = $1 and ($2::bigint is null or seq < $2)
order by seq desc limit $3`;
