/**
 * The statements of a walk over a day's rows. Each reads one slice, adds it to the sums of the walk, and returns how
 * much it read, where it ended, and what contradicts the books. $1 walk, $2 after; each names its further parameters.
 */

import { GIVEN_BACK } from '@dargah/core/transfer-kinds.ts';
import { column, command, orNull, type RowOf, statementFor } from '../../platform/db/index.ts';
import { spentSql } from '../../requestlog/index.ts';

export type ReadStep = keyof SliceStatements;

export type SealStep = ReadStep | 'waste' | 'done';

/** For each check: how many faults, and the first of them. */
export type Faults = Record<string, { total: number; such: string[] }>;

/** Account, model, the provider that answered ('': none), whether it was an answer of unknown cost that was not charged, and the detail. */
export type UnsoldRow = [account: string, model: string, provider: string, isOpen: boolean, detail: string];

/** How many faults of one check a slice names. */
const MAX_NAMED = 5;

/** Every column of a transfer by name: a column that is added later changes no fingerprint. */
const TRANSFER_TEXT = `concat_ws(chr(31), t.id, t.debit, t.credit, t.amount::text, t.kind, coalesce(t.account_id, ''), coalesce(t.request_id, ''),
  coalesce(t.price_version, ''), coalesce(t.note, ''), extract(epoch from t.created_at)::text)`;

/** Two numbers of 60 bits from the SHA-256 of a text: sums of them say which rows there are, in whatever slices they were read. */
export const hashOf = (text: string): string =>
  `lateral (select encode(sha256(convert_to(${text}, 'UTF8')), 'hex') as hex offset 0) as hashed`;
export const HASH_LOW = `coalesce(sum(('x' || substr(hex, 1, 15))::bit(60)::bigint), 0)`;
export const HASH_HIGH = `coalesce(sum(('x' || substr(hex, 16, 15))::bit(60)::bigint), 0)`;

const NOT_LATE = (row: string) => `not exists (select from late_request late where late.id = ${row}.id)`;
const TRANSFER =
  't.id, t.debit, t.credit, t.amount, t.kind, t.account_id, t.request_id, t.price_version, t.note, t.created_at';

/** Limits a look-up to the time of the slice; without it whole tables would be read for every slice. */
const WITHIN = (column: string, of: string) =>
  `${column} >= (select min(${of}) from mine) and ${column} <= (select max(${of}) from mine)`;

const bookOf = (column: string) => `case when ${column} like 'wallet:%' then 'wallets' else ${column} end`;

/** A list of faults of one check as `{total, such}`. */
const faultsOf = (about: string, written: string, expected: string, from: string) => `(
  select jsonb_build_object('total', count(*), 'such', coalesce(jsonb_agg(said) filter (where place <= ${MAX_NAMED}), '[]'))
  from (select ${about} || ': ' || coalesce(${written}, 'nothing') || ' instead of ' || ${expected} as said, row_number() over () as place from ${from}) as fault)`;

const MONEY_VALUES = [
  'requests',
  'failed',
  'refused',
  'interrupted',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'revenue',
  'refunded',
  'cost',
  'cost_unknown_requests',
  'revenue_unknown_cost',
] as const;
/** What is summed per account, model and provider. */
export const MONEY_COLUMNS = MONEY_VALUES.join(', ');
export const MONEY_KEY = 'account_id, model, provider';

const addMoney = (rows: string) => `
  insert into walk_money as known (walk, ${MONEY_KEY}, ${MONEY_COLUMNS})
  select $1::text, ${MONEY_KEY}, ${MONEY_VALUES.map((name) => `sum(${name})`).join(', ')} from (${rows}) as part
  group by ${MONEY_KEY} order by ${MONEY_KEY}
  on conflict (walk, ${MONEY_KEY}) do update set ${MONEY_VALUES.map((name) => `${name} = known.${name} + excluded.${name}`).join(', ')}`;

/**
 * Only a seal keeps the counters; a whole proof computes them separately (proof/spend-again.ts), which is cheaper than
 * adding per slice.
 */
const addSpend = (keeps: boolean, rows: string) =>
  !keeps
    ? ''
    : `, spend as (
  insert into walk_spend as known (walk, id, spent)
  select $1::text, budget, sum(amount) from (${rows}) as part group by budget order by budget
  on conflict (walk, id) do update set spent = known.spent + excluded.spent)`;

/** `slice` has a `place` from which the next one continues; `mine` are its rows that belong to the day. */
const transferSlice = (keeps: boolean, slice: string, mine: string, last = 'select max(place) from slice') => `
with slice as materialized (${slice}), mine as materialized (select * from slice as t where ${mine}),
day_sum as (
  insert into walk_day as known (walk, debit, credit, kind, transfers, amount)
  select $1::text, ${bookOf('debit')}, ${bookOf('credit')}, kind, count(*), sum(amount) from mine group by 2, 3, 4 order by 2, 3, 4
  on conflict (walk, debit, credit, kind) do update set transfers = known.transfers + excluded.transfers, amount = known.amount + excluded.amount
), balance as (
  insert into walk_balance as known (walk, id, moved, charged)
  select $1::text, leg.id, sum(leg.amount), sum(leg.charged) from mine
    cross join lateral (values (debit, -amount, case when kind = 'charge' then amount else 0 end), (credit, amount, 0)) as leg (id, amount, charged)
  group by leg.id order by leg.id
  on conflict (walk, id) do update set moved = known.moved + excluded.moved, charged = known.charged + excluded.charged
), money as (${addMoney(`
  select coalesce(mine.account_id, '') as account_id, coalesce(log.model, '') as model, coalesce(log.provider, '') as provider,
    0 as requests, 0 as failed, 0 as refused, 0 as interrupted, 0 as input_tokens, 0 as output_tokens, 0 as cached_tokens,
    0 as revenue, mine.amount as refunded, 0 as cost, 0 as cost_unknown_requests, 0 as revenue_unknown_cost
  from mine left join request_log log on log.id = mine.request_id where mine.kind in ${GIVEN_BACK}`)}
)${addSpend(
  keeps,
  `
  select budget, -mine.amount as amount from mine join request_log log on log.id = mine.request_id
    cross join spend_counters(log.counters, log.key_id, log.account_id) as budget where mine.kind in ${GIVEN_BACK} and log.counters <> ''`,
)}
select (select count(*) from slice) as read, (${last}) as place, count(t.id) as transfers, 0::bigint as requests,
  coalesce(sum(t.amount), 0)::text as amount, coalesce(sum(t.amount) filter (where t.kind = 'charge'), 0)::text as charged,
  ${HASH_LOW}::text as hash_low, ${HASH_HIGH}::text as hash_high, '[]'::jsonb as unsold,
  jsonb_build_object(
    'positive-amounts', ${faultsOf('id', 'amount::text', `'more than 0'`, 'mine where amount <= 0 or debit = credit')},
    'one-request-per-charge', ${faultsOf(
      'id',
      'amount::text',
      `'a request'`,
      `mine where kind = 'charge' and created_at >= coalesce((select kept_from from request_log_horizon), '-infinity')
        and not exists (
          select from request_log log where log.id = mine.id and log.created_at = mine.created_at and ${WITHIN('log.created_at', 'created_at')})`,
    )}) as faults
from mine as t cross join ${hashOf(TRANSFER_TEXT)}`;

/**
 * Cached tokens are in the detail, and reading them costs as much as everything else, so a second reading leaves them
 * to the fingerprint.
 */
const CACHED = `case when strpos(r.detail, '"cacheRead":') > 0 then coalesce(substring(r.detail from '"cacheRead":(\\d{1,15})')::bigint, 0) else 0 end`;
/**
 * Rows whose detail may tell of a cost that was not sold: a lost hedge or a broken answer beside the one that was sold, a route that
 * went on with it, or an answer that was not charged. Their detail is read by requestlog/attempt-costs.ts, and no other row's.
 */
const UNSOLD = `strpos(r.detail, '"hedge-lost"') > 0 or strpos(r.detail, '"broken-answer"') > 0 or strpos(r.detail, '"continues"') > 0 or (r.cost = 0 and r.provider is not null and r.provider_cost is null)`;
const requestColumns = (
  keeps: boolean,
) => `r.id, r.account_id, r.key_id, r.model, r.state, r.error_code, r.provider, r.counters, r.cost, r.provider_cost, r.input_tokens,
  r.output_tokens, ${keeps ? CACHED : '0'} as cached_tokens, case when ${UNSOLD} then r.detail end as unsold`;

/** Names of models that do not exist would otherwise give a row for each spelling. */
const MODEL = `case when error_code = 'model_not_found' then '' else model end`;

const requestSlice = (keeps: boolean, slice: string, mine: string) => `
with slice as materialized (${slice}), mine as materialized (select * from slice as r where r.state <> 'running' and ${mine}),
money as (${addMoney(`
  select account_id, ${MODEL} as model, coalesce(provider, '') as provider,
    (state <> 'refused')::int as requests, (state = 'failed')::int as failed, (state = 'refused')::int as refused,
    (state in ('interrupted', 'client_closed'))::int as interrupted, input_tokens, output_tokens, cached_tokens,
    cost as revenue, 0 as refunded, coalesce(provider_cost, 0) as cost,
    (provider is not null and provider_cost is null and state <> 'failed')::int as cost_unknown_requests,
    case when provider is not null and provider_cost is null then cost else 0 end as revenue_unknown_cost
  from mine`)}
)${addSpend(keeps, spentSql('mine as log'))}
select (select count(*) from slice) as read, (select max(place) from slice) as place, 0::bigint as transfers, count(*) as requests,
  '0' as amount, '0' as charged, '0' as hash_low, '0' as hash_high,
  coalesce(jsonb_agg(jsonb_build_array(account_id, ${MODEL}, coalesce(provider, ''), cost = 0 and provider_cost is null and state <> 'failed', unsold)) filter (where unsold is not null), '[]') as unsold,
  jsonb_build_object('one-charge-per-request', ${faultsOf(
    'mine.id',
    'charge.amount::text',
    'mine.cost::text',
    `mine left join ledger_transfer charge on charge.id = mine.id and charge.kind = 'charge'
       and charge.debit = 'wallet:' || mine.account_id and charge.credit = 'revenue' and ${WITHIN('charge.id', 'id')}
     where coalesce(charge.amount, 0) <> mine.cost`,
  )}) as faults
from mine`;

/**
 * Adds the cost of failures: $2 accounts, $3 models, $4 providers, $5 amounts, $6 answers whose cost is known after
 * all, though they were not charged (until here they counted as unknown), $7 the part that continued other answers.
 */
export const ADD_WASTE = command(`
insert into walk_money as known (walk, ${MONEY_KEY}, ${MONEY_COLUMNS}, waste, continuations)
select $1::text, ${MONEY_KEY}, ${MONEY_VALUES.map((name) => (name === 'cost_unknown_requests' ? '-sum(told::bigint)' : '0')).join(', ')}, sum(waste::numeric),
  sum(continued::numeric)
from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) as part (${MONEY_KEY}, waste, told, continued)
group by ${MONEY_KEY} order by ${MONEY_KEY}
on conflict (walk, ${MONEY_KEY}) do update set waste = known.waste + excluded.waste, continuations = known.continuations + excluded.continuations,
  cost_unknown_requests = known.cost_unknown_requests + excluded.cost_unknown_requests`);

/**
 * Adds the cost of the probes of day $2: it belongs to no account, and is waste like all that was not sold. $1 walk.
 */
export const ADD_PROBES = command(`
insert into walk_money as known (walk, ${MONEY_KEY}, ${MONEY_COLUMNS}, waste, probes)
select $1::text, '', model, provider, ${MONEY_VALUES.map(() => '0').join(', ')}, amount, amount from probe_cost where day = $2::date
on conflict (walk, ${MONEY_KEY}) do update set waste = known.waste + excluded.waste, probes = known.probes + excluded.probes`);

/** The statements of a walk; with `keeps` it seals. */
export interface SliceStatements {
  /** $3 from, $4 to (ids), $5 from, $6 to (times). */
  charges: string;
  /** $3 from, $4 to (times). `after` is a time and an id, with a bar between them; '' at first. */
  others: string;
  /** $3 day. A late request without a charge counts as read, but is no transfer. */
  late: string;
  /** $3 from, $4 to (times). */
  requests: string;
  /** $3 day. */
  'late-requests': string;
}

/** The number of rows stands in the text, because the planner would assume a tenth of the table for a parameter. */
function sliceStatements(keeps: boolean, rows: number): SliceStatements {
  const limit = `limit ${Math.trunc(rows)}`;
  const lateIds = `(select id from late_request where booked_on = $3::date and id > $2 order by id ${limit}) as late`;
  return {
    charges: transferSlice(
      keeps,
      `select ${TRANSFER}, t.id as place from ledger_transfer t
       where t.kind = 'charge' and t.id > greatest($2::text, $3::text) and t.id < $4 order by t.id ${limit}`,
      `t.created_at >= $5::timestamptz and t.created_at < $6::timestamptz and ${NOT_LATE('t')}`,
    ),
    others: transferSlice(
      keeps,
      `select ${TRANSFER}, extract(epoch from t.created_at)::text || '|' || t.id as place from ledger_transfer t
       where t.kind <> 'charge' and t.created_at >= $3::timestamptz and t.created_at < $4::timestamptz
         and (t.created_at, t.id) > (case when $2 = '' then $3::timestamptz else to_timestamp(split_part($2, '|', 1)::numeric) end,
           substr($2, strpos($2, '|') + 1))
       order by t.created_at, t.id ${limit}`,
      NOT_LATE('t'),
      'select place from slice order by created_at desc, id desc limit 1',
    ),
    late: transferSlice(
      keeps,
      `select late.id as place, ${TRANSFER} from ${lateIds} left join ledger_transfer t on t.id = late.id`,
      't.id is not null',
    ),
    requests: requestSlice(
      keeps,
      `select ${requestColumns(keeps)}, r.id as place from request_log r
       where r.created_at >= $3::timestamptz and r.created_at < $4::timestamptz and r.id > $2 order by r.id ${limit}`,
      NOT_LATE('r'),
    ),
    'late-requests': requestSlice(
      keeps,
      `select late.id as place, ${requestColumns(keeps)} from ${lateIds} left join request_log r on r.id = late.id`,
      'r.id is not null',
    ),
  };
}

const sliceRow = {
  read: column.bigint,
  place: orNull(column.text),
  transfers: column.bigint,
  requests: column.bigint,
  amount: column.text,
  charged: column.text,
  hash_low: column.text,
  hash_high: column.text,
  unsold: column.jsonOf<UnsoldRow[]>(),
  faults: column.jsonOf<Faults>(),
};
export type WalkSlice = RowOf<typeof sliceRow>;
const STEPS: (keyof SliceStatements)[] = ['charges', 'others', 'late', 'requests', 'late-requests'];

/** The next rows of a walk. $1 walk, $2 the place after which it continues. */
export const WALK_SLICE = statementFor(
  sliceRow,
  (keeps: boolean, rows: number, step: keyof SliceStatements) => sliceStatements(keeps, rows)[step],
  ...STEPS.flatMap((step): [boolean, number, keyof SliceStatements][] => [
    [true, 1, step],
    [false, 1, step],
  ]),
);
