/** Statements that add the counts of the health of models, and delete old ones. */
import { column, command, ROWS_PER_STATEMENT, statementFor } from '../platform/db/index.ts';

export const ADD_COUNTS = command(
  `insert into health_minute as kept (model_id, route, minute, provider, answered, failed, rescued)
  select model, route, minute, provider, answered, failed, rescued from jsonb_to_recordset($1::jsonb)
    as given (model text, route text, minute timestamptz, provider text, answered bigint, failed bigint, rescued bigint)
  on conflict (model_id, route, minute) do update set answered = kept.answered + excluded.answered,
    failed = kept.failed + excluded.failed, rescued = kept.rescued + excluded.rescued`,
);

export const ADD_CAUSES = command(
  `insert into health_cause as kept (model_id, minute, provider, cause, times)
  select model, minute, provider, cause, times from jsonb_to_recordset($1::jsonb)
    as given (model text, minute timestamptz, provider text, cause text, times bigint)
  on conflict (model_id, minute, provider, cause) do update set times = kept.times + excluded.times`,
);

export const ADD_ACCOUNTS = command(
  `insert into health_account as kept (model_id, account_id, failed_at)
  select model, account, at from jsonb_to_recordset($1::jsonb) as given (model text, account text, at timestamptz)
  on conflict (model_id, account_id) do update set failed_at = greatest(kept.failed_at, excluded.failed_at)`,
);

/** Deletes what is older than $1, a few rows at a time. */
export const FORGET_HEALTH = statementFor(
  { at: column.timestamp },
  (table: string, time: string) => `delete from ${table} where ctid = any(array(
     select ctid from ${table} where ${time} < $1 order by ${time} limit ${ROWS_PER_STATEMENT})) returning ${time} as at`,
  ['health_minute', 'minute'],
  ['health_cause', 'minute'],
  ['health_account', 'failed_at'],
);
