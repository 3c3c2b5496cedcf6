/**
 * Every statement that moves money, in one reviewed place.
 *
 * Signs: an account's `posted` is credits − debits. A charge debits the wallet and credits revenue; a top-up debits cash and
 * credits the wallet. Each transfer changes two accounts by the same amount, so the sum over all accounts stays zero.
 *
 * Locks: every statement changes rows in the order of their ids (an INSERT … SELECT … ORDER BY … ON CONFLICT locks in the
 * order of its input), first wallets, then their spend_counter and usage_daily, and last the books that all accounts share. Two
 * replicas therefore wait for each other, but never in a circle; and for a shared book only as long as a commit takes (ADR 0084).
 */

import { lineSql } from '@dargah/core/chart.ts';
import { GIVEN_BACK } from '@dargah/core/transfer-kinds.ts';
import { column, command, orNull, type RowOf, statement } from '../platform/db/index.ts';
import { LINES_AS_BATCH, LOG_COLUMNS, LOG_VALUES, REPLACED_COLUMNS } from '../requestlog/index.ts';

/** The columns that sums are made from, besides the cost. */
const COUNTED_COLUMNS = `id, created_at, account_id, key_id, model, day, input_tokens, output_tokens, provider, provider_cost, counters, state, error_code`;
/**
 * The id of a charge is that of its request, so the request's id is not written a second time (transfer-list.ts returns
 * it).
 */
const CHARGE_COLUMNS = 'id, debit, credit, amount, kind, account_id, price_version, created_at';
const CHARGE_VALUES = `id, 'wallet:' || account_id, 'revenue', cost, 'charge', account_id, price_version, created_at`;

/**
 * Posts a batch of closed requests: log rows, transfers, balances, spend counters and roll-up in one statement, which is one
 * transaction and one round trip. $1 has a request per line (requestlog/record-columns.ts); answers the balances and counters it
 * changed. `entries` takes `batch`, writes log rows and transfers, and leaves in `counted` what is now to be added up.
 *
 * Everything is added up once, to as many rows as the batch has keys and models, and all sums are taken from those few.
 */
const postBatch = (entries: string): string => `
with ${LINES_AS_BATCH}, ${entries}, total as materialized (
  -- What callers ask for and nobody has would otherwise be a row for each spelling.
  select account_id, day, key_id, case when error_code = 'model_not_found' then '' else model end as model, counters, provider,
    home_day(created_at) as booked_on, min(id) as first_id, max(created_at) as created_at, count(*) filter (where state <> 'refused') as requests,
    count(*) filter (where state = 'refused') as refused, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens, sum(cost) as cost,
    sum(provider_cost) as provider_cost
  from counted group by account_id, day, key_id, 4, counters, provider, booked_on
), supply as (
  -- One transfer per batch and provider, and one more in the batch over midnight, so that the cost of a day is that of its
  -- requests. Each request is counted once, so the smallest id names the group for ever; ids without a day are of 0.1.0.
  insert into ledger_transfer (id, debit, credit, amount, kind, created_at)
  select 'supply:' || provider || ':' || min(first_id) || ':' || booked_on, 'costs', 'provider:' || provider, sum(provider_cost), 'provider-cost',
    max(created_at)
  from total where provider is not null and provider_cost > 0 group by provider, booked_on order by provider, booked_on
  on conflict (id) do nothing
  returning debit, credit, amount
), balance as (
  insert into ledger_account as account (id, posted, version)
  select 'wallet:' || account_id, -sum(cost), 1 from total where cost > 0 group by account_id order by 1
  on conflict (id) do update set posted = account.posted + excluded.posted, version = account.version + 1
  returning id, posted, version
), spent as (
  insert into spend_counter as counter (id, spent, version)
  select budget, sum(cost), 1 from total cross join spend_counters(counters, key_id, account_id) as budget
  where cost > 0 group by budget order by budget
  on conflict (id) do update set spent = counter.spent + excluded.spent, version = counter.version + 1
  returning id, spent, version
), daily as (
  insert into usage_daily as known (account_id, day, key_id, model, requests, refused, input_tokens, output_tokens, cost, last_at)
  select account_id, day, key_id, model, sum(requests), sum(refused), sum(input_tokens), sum(output_tokens), sum(cost), max(created_at)
  from total group by account_id, day, key_id, model order by account_id, day, key_id, model
  on conflict (account_id, day, key_id, model) do update set
    requests = known.requests + excluded.requests, refused = known.refused + excluded.refused, input_tokens = known.input_tokens + excluded.input_tokens,
    output_tokens = known.output_tokens + excluded.output_tokens, cost = known.cost + excluded.cost,
    last_at = greatest(known.last_at, excluded.last_at)
  returning day
), shared as (
  -- Asking for the days has everything else changed before.
  insert into ledger_account as account (id, posted, version)
  select id, sum(amount), 1 from (
    select 'revenue' as id, cost as amount from total where cost > 0
    union all
    select debit, -amount from supply
    union all
    select credit, amount from supply
  ) as leg where (select count(*) from daily) >= 0 group by id order by id
  on conflict (id) do update set posted = account.posted + excluded.posted, version = account.version + 1
)
select id as budget, (-posted)::text as posted, version from balance
union all
select id, spent::text, version from spent`;

/** What is posted against a budget: a wallet's negative balance, or the value of a cap's counter. */
const budgetRow = { budget: column.text, posted: column.text, version: column.bigint };
export type BudgetRow = RowOf<typeof budgetRow>;

/**
 * For requests that the database has never seen, which is nearly all of them: it does not look for each of them first. If one is
 * there after all, a unique key is violated, nothing of the batch is posted, and POST_AGAIN must take it.
 */
export const POST_NEW = statement(
  budgetRow,
  postBatch(`fresh as (
  insert into request_log (${LOG_COLUMNS}) select ${LOG_VALUES} from batch
  returning id
), charge as (
  insert into ledger_transfer (${CHARGE_COLUMNS}) select ${CHARGE_VALUES} from batch where cost > 0
  returning id
), counted as (
  -- All rows are new, or nothing is posted. Asking for them and the charges has both written now: rows that every replica changes
  -- are locked last and held shortly.
  select ${COUNTED_COLUMNS}, cost from batch where (select count(*) from fresh) >= 0 and (select count(*) from charge) >= 0
)`),
  { name: 'post-new' },
);

/**
 * The same for requests that may be there: the answer of a commit can get lost, a journal is posted again after a crash, and
 * a long request was announced. Idempotent:
 *   `fresh`   a request counts once: when its row is new, or when it was there as `running`; where retention has dropped the
 *             rows of its day, when it has no charge
 *   `charge`  a transfer counts once: its id is the request's, and only new transfers move balances and counters
 * Both must hold for money to move, so that neither a dropped partition nor a retry can charge twice.
 */
export const POST_AGAIN = statement(
  budgetRow,
  postBatch(`fresh as (
  insert into request_log (${LOG_COLUMNS})
  select ${LOG_VALUES} from batch
  where created_at >= coalesce((select kept_from from request_log_horizon), '-infinity')
    or not exists (select from ledger_transfer where ledger_transfer.id = batch.id)
  order by id
  on conflict (id, created_at) do update set ${REPLACED_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}
    where request_log.state = 'running'
  returning ${COUNTED_COLUMNS}, cost
), charge as (
  insert into ledger_transfer (${CHARGE_COLUMNS}) select ${CHARGE_VALUES}
  from fresh join (select id, price_version from batch) as told using (id) where cost > 0 order by id
  on conflict (id) do nothing
  returning id, amount
), counted as (
  select ${COUNTED_COLUMNS}, coalesce(charge.amount, 0) as cost from fresh left join charge using (id)
)`),
  { name: 'post-again' },
);

/** Long-running requests, so that other replicas can see them. Their closing replaces the row. */
export const ANNOUNCE_RUNNING = command(
  `
with ${LINES_AS_BATCH}
insert into request_log (${LOG_COLUMNS}) select ${LOG_VALUES} from batch order by id
on conflict do nothing`,
  { name: 'announce-running' },
);

/** What admission mirrors: the wallet's negative balance, and the counters of caps. $1: budget ids. */
export const LOAD_POSTED = statement(
  budgetRow,
  `
select id as budget, (-posted)::text as posted, version from ledger_account where id = any($1) and id like 'wallet:%'
union all
select id, spent::text, version from spend_counter where id = any($1)`,
);

/**
 * Whether entries go to the books of the chart. The row is locked, so that no cut-over runs while this transaction
 * relies on the answer.
 */
export const CHART_IN_USE = statement(
  { in_use: column.boolean },
  `select done_at is not null as in_use from chart_cut_over for share`,
);

/**
 * The lines of one event. $1 ids, $2 debits, $3 credits, $4 amounts, $5 kinds, $6 accounts, $7 requests, $8 notes, $9 milliseconds,
 * $10 document, $11 foreign units, $12 their currencies. Answers the ids that are new.
 */
export const INSERT_LINES = statement(
  { id: column.text },
  `
insert into ledger_transfer (id, debit, credit, amount, kind, account_id, request_id, note, created_at, document_id, units, unit)
select id, debit, credit, amount::numeric, kind, account_id, request_id, note, to_timestamp($9::float8 / 1000), $10, units::numeric, unit
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $11::text[], $12::text[])
  as line (id, debit, credit, amount, kind, account_id, request_id, note, units, unit)
on conflict (id) do nothing
returning id`,
);

/** $1 id, $2 kind, $3 day or null, $4 number, $5 party, $6 note, $7 attachment, $8 maker, $9 approver, $10 what it reverses, $11 milliseconds, $12 zone. */
export const INSERT_DOCUMENT = statement(
  { id: column.text },
  `
insert into document (id, kind, dated_on, number, party, note, attachment, created_by, approved_by, reverses, created_at)
select $1, $2, coalesce($3::date, (made.at at time zone $12)::date), $4, $5, $6, $7, $8, $9, $10, made.at
from (select to_timestamp($11::float8 / 1000) as at) as made
on conflict (id) do nothing
returning id`,
);

export const FIND_TRANSFER = statement(
  {
    debit: column.text,
    credit: column.text,
    amount: column.text,
    kind: column.text,
    account_id: orNull(column.text),
    request_id: orNull(column.text),
  },
  `
select debit, credit, amount::text as amount, kind, account_id, request_id from ledger_transfer where id = $1`,
);

/** All legs of one event, each account once, wallets before shared books. $1 debits, $2 credits, $3 amounts. */
export const MOVE_BALANCES = command(`
insert into ledger_account as account (id, posted, version)
select id, sum(amount), 1 from (
  select debit as id, -amount::numeric as amount from unnest($1::text[], $3::text[]) as leg (debit, amount)
  union all
  select credit, amount::numeric from unnest($2::text[], $3::text[]) as leg (credit, amount)
) as leg group by id order by id not like 'wallet:%', id
on conflict (id) do update set posted = account.posted + excluded.posted, version = account.version + 1`);

/** Wallets and providers are one line each, because there may be a million of them. */
export const TRIAL_BALANCE = statement(
  { book: column.text, accounts: column.int, debit: column.text, credit: column.text },
  `
select book, count(*)::int as accounts, sum(greatest(-posted, 0))::text as debit, sum(greatest(posted, 0))::text as credit
from (select posted, ${lineSql('id')} as book from ledger_account) as account group by book order by book`,
);

export const READ_WALLET = statement(
  { posted: column.text, version: column.bigint },
  `select posted::text as posted, version from ledger_account where id = $1`,
);

/** The request a refund belongs to, locked so that two refunds cannot both fit. */
export const LOCK_CHARGED_REQUEST = statement(
  { cost: column.text, counters: orNull(column.text) },
  `
select cost::text as cost, array_to_string(array(select spend_counters(counters, key_id, account_id)), ' ') as counters
from request_log where id = $1 and account_id = $2 for update`,
);

/** The same where the request's day is in the archive: its charge says what it cost, and the archive which counters it was counted in. */
export const LOCK_ARCHIVED_CHARGE = statement(
  { cost: column.text },
  `
select amount::text as cost from ledger_transfer
where id = $1 and account_id = $2 and kind = 'charge'
  and exists (select from log_archive_day where day = (ledger_transfer.created_at at time zone 'UTC')::date and state = 'moved') for update`,
);

export const REFUNDED_SO_FAR = statement(
  { amount: column.text },
  `
select coalesce(sum(amount), 0)::text as amount from ledger_transfer where kind in ${GIVEN_BACK} and request_id = $1`,
);

/** Lowers the caps' counters by what a refund returns to the wallet. $1 counters with spaces between, $2 amount. */
export const LOWER_COUNTERS = command(`
insert into spend_counter as counter (id, spent, version)
select budget, -$2::numeric, 1 from string_to_table($1, ' ') as budget order by budget
on conflict (id) do update set spent = counter.spent + excluded.spent, version = counter.version + 1`);

/**
 * What counters owe to rows that have left the log, for the proof from the first row on and for the one from the last seal on: neither
 * finds the request of such a refund. $1 counters with spaces between, $2 amount.
 */
export const LOWER_LEFT_BEHIND = ['spend_carried', 'spend_sealed'].map((table) =>
  command(`
update ${table} as kept set spent = kept.spent - $2::numeric
from (select budget from string_to_table($1, ' ') as budget order by budget) as given where kept.id = given.budget`),
);
