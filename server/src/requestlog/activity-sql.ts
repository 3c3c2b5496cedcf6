/** Statements on recent activity, of one account and of all. */
import { column, orNull, type RowOf, statement } from '../platform/db/index.ts';

/** Rows are read in the order of the index; otherwise a plan gathers all of them before it stops at the limit. */
const MAX_REQUESTS = 100_000;
const MAX_TROUBLE = 10_000;

/** $1 account; $2 and $3 the first id and the time 24 hours ago; $4 today. */
export const ACCOUNT_ACTIVITY = statement(
  {
    lastUsedAt: orNull(column.timestamp),
    cost: column.text,
    requests: column.int,
    failed: column.int,
    refused: column.int,
    models: column.texts,
  },
  `select
  (select max(last_at) from usage_daily u where u.account_id = $1
     and u.day >= (select max(day) from usage_daily d where d.account_id = $1) - 1) as "lastUsedAt",
  (select coalesce(sum(cost), 0)::text from usage_daily where account_id = $1 and day > $4::date - 30) as cost,
  (select count(*)::int from (select from request_log where account_id = $1 and id >= $2 and created_at >= $3
     order by id desc limit ${MAX_REQUESTS}) found) as requests,
  trouble.failed, trouble.refused,
  array(select model from usage_daily where account_id = $1 and day > $4::date - 7
        union select unnest(trouble.models)) as models
  from (select count(*) filter (where state in ('failed', 'interrupted'))::int as failed,
               count(*) filter (where state = 'refused')::int as refused,
               array_agg(distinct model) filter (where state = 'failed' and model is not null) as models
          from (select state, model from request_log where account_id = $1 and id >= $2 and created_at >= $3
                   and state <> 'completed' order by id desc limit ${MAX_TROUBLE}) found) trouble`,
);

const trafficRow = {
  requestsOfMinute: column.float,
  requests: column.float,
  /** Requests without an answer, or with half of one, that were not the caller's fault. */
  failed: column.float,
  refused: column.float,
  p50Ms: orNull(column.float),
  p95Ms: orNull(column.float),
};
export type Traffic = RowOf<typeof trafficRow>;

/** $1 and $2 the first id and the time an hour ago; $3 the time a minute ago. */
export const TRAFFIC = statement(
  trafficRow,
  `select (count(*) filter (where created_at >= $3))::float8 as "requestsOfMinute", count(*)::float8 as requests,
          (count(*) filter (where state in ('failed', 'interrupted')))::float8 as failed,
          (count(*) filter (where state = 'refused'))::float8 as refused,
          percentile_disc(0.5) within group (order by duration_ms)::float8 as "p50Ms",
          percentile_disc(0.95) within group (order by duration_ms)::float8 as "p95Ms"
     from request_log where id >= $1 and created_at >= $2 and state <> 'running'`,
);
