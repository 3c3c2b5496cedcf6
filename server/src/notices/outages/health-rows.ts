/** The recent answers and failures that customers met, as the outage watch reads them. */
import { column, orNull, type RowOf, statement } from '../../platform/db/index.ts';

/** One model, route or credential over the last ten minutes. */
const recentRow = {
  model: column.text,
  route: column.text,
  provider: column.text,
  /** `answered` and `failed` are of the last five minutes, the other two of the five before. */
  answered: column.int,
  failed: column.int,
  answeredBefore: column.int,
  failedBefore: column.int,
  /** The first minute of them with a failure. */
  since: column.timestamp,
  lastFailed: column.timestamp,
  lastAnswered: orNull(column.timestamp),
};
export type RecentCounts = RowOf<typeof recentRow>;

const minuteRow = {
  minute: column.timestamp,
  answered: column.int,
  failed: column.int,
};
export type MinuteOfHealth = RowOf<typeof minuteRow>;

export const RECENT_TROUBLES = statement(
  recentRow,
  `select model_id as model, route, max(provider) as provider,
     coalesce(sum(answered) filter (where minute >= $2), 0)::integer as answered,
     coalesce(sum(failed) filter (where minute >= $2), 0)::integer as failed,
     coalesce(sum(answered) filter (where minute < $2), 0)::integer as "answeredBefore",
     coalesce(sum(failed) filter (where minute < $2), 0)::integer as "failedBefore",
     min(minute) filter (where failed > 0) as since, max(minute) filter (where failed > 0) as "lastFailed",
     max(minute) filter (where answered > 0) as "lastAnswered"
   from health_minute where minute >= $1 group by model_id, route having sum(failed) > 0 order by model_id, route limit 20000`,
);

export const RECENT_SUMS = statement(
  { answered: column.int, failed: column.int },
  `select coalesce(sum(answered), 0)::integer as answered, coalesce(sum(failed), 0)::integer as failed
   from health_minute where minute >= $1 and route = '' and model_id <> ''`,
);

export const MINUTES_OF_OUTAGES = statement(
  { id: column.text, ...minuteRow },
  `with asked as (select * from jsonb_to_recordset($1::jsonb) as given (id text, model text, route text, provider text))
   select id, minute, answered::integer as answered, failed::integer as failed from asked
     join health_minute on model_id = asked.model and health_minute.route = asked.route and minute >= $2
   where asked.provider is null
   union all
   select id, minute, sum(answered)::integer, sum(failed)::integer from asked
     join health_minute on health_minute.provider = asked.provider and model_id <> '' and minute >= $2
   where asked.provider is not null group by id, minute`,
);
