/** Statements that find who uses a provider, a model or a route, and how much. */
import { column, type Queryable, statement, statementFor } from '../../platform/db/index.ts';

export const PROVIDER_EXISTS = statement({}, 'select from provider where id = $1');
export const MODEL_EXISTS = statement({}, 'select from model where id = $1');
export const LOCKED_VENDOR = statement({ vendor: column.text }, 'select vendor from provider where id = $1 for update');

/** Models that would have no route left without the provider. */
export const MODELS_LOST_WITH_PROVIDER = statement(
  { id: column.text },
  `select distinct model_id as id from route r where provider_id = $1 and state is null and not exists (
     select 1 from route o join provider p on p.id = o.provider_id
     where o.model_id = r.model_id and o.provider_id <> $1 and o.state is null and p.enabled and p.present)
   order by 1`,
);
/** Requests of a busy provider are counted among the newest so many. */
const MAX_LOOKED_AT = 100_000;
/** No index of the log has the provider, so only the newest requests are read, few enough to delay nobody. */
export const REQUESTS_OF_PROVIDER = statement(
  { n: column.int },
  `select count(*)::integer as n from (
     select provider from request_log where created_at > $2 order by id desc limit ${MAX_LOOKED_AT}) as newest
   where provider = $1`,
);

const WEEK_DAYS = 7;
export const REQUESTS_OF_MODEL = statement(
  { n: column.int },
  `select coalesce(sum(requests), 0)::integer as n from usage_daily where model = $1 and day > $2::date - ${WEEK_DAYS}`,
);
export const SALES_OF_MODELS = statement(
  {
    model: column.text,
    requests: column.bigint,
    input: column.bigint,
    output: column.bigint,
    revenue: column.bigint,
  },
  `select model, sum(requests)::bigint as requests, sum(input_tokens)::bigint as input,
     sum(output_tokens)::bigint as output, sum(cost)::bigint as revenue
   from usage_daily where model = any($1::text[]) and day > $2::date - ${WEEK_DAYS} group by model`,
);
const ACCOUNTS_USING_MODEL = statement(
  { account_id: column.text },
  'select distinct account_id from usage_daily where model = $1 and day > $2::date - 30',
);

/** Accounts that used the model in the last thirty days. */
export async function selectAccountsUsing(db: Queryable, model: string, now: Date): Promise<string[]> {
  return (await ACCOUNTS_USING_MODEL.rows(db, [model, now])).map((row) => row.account_id);
}

export const GROUPS_NAMING_MODELS = statement(
  { id: column.text },
  `select distinct g.id from model_group g left join group_model m on m.group_id = g.id
   where m.model_id = any($1::text[]) or g.default_model = any($1::text[]) order by 1`,
);
const FIRST = 20;
/** Keys or accounts whose rules name one of the models: the first ones, and how many there are. */
export const RULES_NAMING_MODELS = statementFor(
  { id: column.text, name: column.text, total: column.int },
  (table: 'api_key' | 'account') => `select id, name, count(*) over ()::integer as total from ${table}
   where ${table === 'api_key' ? 'revoked_at is null and' : ''} (rules -> 'models' ?| $1::text[] or rules ->> 'default_model' = any($1::text[]))
   order by id limit ${FIRST}`,
  ['api_key'],
  ['account'],
);

/**
 * Since 0.2.0 use is recorded where it happens; before, provider costs show it in the books. Only what 0.1.0 used at an
 * unknown cost must be looked for in the log, among its newest requests, because no index has the provider. A failed
 * row names the provider that was asked in vain.
 */
const NEWEST_REQUESTS = '(select provider, model, state from request_log order by id desc limit 100000) as newest';

export const NOTED_USE_OF_PROVIDER = statement(
  {},
  `select from provider where id = $1 and last_used_at is not null
   union all select from ledger_account where id = 'provider:' || $1 limit 1`,
);
export const LOGGED_USE_OF_PROVIDER = statement(
  {},
  `select from ${NEWEST_REQUESTS} where provider = $1 and state <> 'failed' limit 1`,
);
export const USE_OF_MODEL = statement({}, 'select from usage_daily where model = $1 limit 1');
export const NOTED_USE_OF_ROUTE = statement(
  {},
  'select from route where model_id = $1 and provider_id = $2 and upstream_model = $3 and last_used_at is not null',
);
export const LOGGED_USE_OF_ROUTE = statement(
  {},
  `select from ${NEWEST_REQUESTS} where provider = $2 and model = $1 and state <> 'failed' limit 1`,
);
