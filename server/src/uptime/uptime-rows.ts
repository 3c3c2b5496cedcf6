/** Every statement on `uptime_hour`. */
import { HOME_OFFSET_MS } from '@dargah/core/home-zone.ts';
import { column, command, ROWS_PER_STATEMENT, type RowOf, statement } from '../platform/db/index.ts';

export const ADD_HOURS = command(
  `insert into uptime_hour as kept (model_id, route, hour, answered, failed, first_token)
   select model_id, route, hour, answered, failed, first_token from jsonb_to_recordset($1::jsonb)
     as given (model_id text, route text, hour timestamptz, answered bigint, failed bigint, first_token integer[])
   on conflict (model_id, route, hour) do update set
     answered = kept.answered + excluded.answered,
     failed = kept.failed + excluded.failed,
     first_token = (
       select array_agg(coalesce(a, 0) + coalesce(b, 0) order by step)
       from unnest(kept.first_token, excluded.first_token) with ordinality as added (a, b, step))`,
);

export const FORGET_HOURS = statement(
  { hour: column.timestamp },
  `delete from uptime_hour where (model_id, route, hour) in (
     select model_id, route, hour from uptime_hour where hour < $1 order by hour limit ${ROWS_PER_STATEMENT}) returning hour`,
);

/** The day of an hour in Tehran, counted from 1970. */
const DAY_COLUMN = `floor((extract(epoch from hour) + ${HOME_OFFSET_MS / 1000}) / 86400)::integer`;

const dayRow = {
  subject: column.text,
  day: column.int,
  answered: column.bigint,
  failed: column.bigint,
  lately_answered: column.bigint,
  lately_failed: column.bigint,
};

export type UptimeDayRow = RowOf<typeof dayRow>;

const stepRow = {
  route: column.text,
  step: column.int,
  times: column.bigint,
};

export type UptimeStepRow = RowOf<typeof stepRow>;

const sums = (subject: string, where: string) => `
  select ${subject} as subject, ${DAY_COLUMN} as day, sum(answered)::bigint as answered, sum(failed)::bigint as failed,
    coalesce(sum(answered) filter (where hour > $2), 0)::bigint as lately_answered,
    coalesce(sum(failed) filter (where hour > $2), 0)::bigint as lately_failed
  from uptime_hour where hour >= $1 and ${where} group by 1, 2`;

export const DAYS_OF_VENDORS = statement(dayRow, sums(`split_part(model_id, '/', 1)`, `route = ''`));

export const DAYS_OF_ROUTES = statement(dayRow, sums('route', 'model_id = $3'));

export const SUMS_OF_MODELS = statement(
  { id: column.text, answered: column.bigint, failed: column.bigint },
  `select model_id as id, sum(answered)::bigint as answered, sum(failed)::bigint as failed from uptime_hour
   where route = '' and hour >= $1 group by model_id`,
);

export const STEPS_OF_MODEL = statement(
  stepRow,
  `select route, step::integer as step, sum(times)::bigint as times
   from uptime_hour, unnest(first_token) with ordinality as counted (times, step)
   where model_id = $1 and hour >= $2 group by route, step`,
);

export const HOURS_OF_ROUTES = statement(
  { route: column.text, answered: column.bigint, failed: column.bigint, first_token: column.of<number[]>('integer[]') },
  `select route, answered, failed, first_token from uptime_hour where model_id = $1 and route <> '' and hour > $2`,
);
