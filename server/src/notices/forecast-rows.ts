/** Statements that read the figures of a forecast. */
import type { JsonObject } from '../core/json.ts';
import { column, orNull, statement } from '../platform/db/index.ts';

export const PACE_DAYS = 7;

export const SPEND_OF_LAST_DAYS = statement(
  { cost: column.text, first: orNull(column.timestamp) },
  `select coalesce(sum(cost), 0)::text as cost, min(day)::timestamptz as first from usage_daily
   where account_id = $1 and day > $2::date - ${PACE_DAYS} and ($3::text is null or key_id = $3)`,
);

export const FORECAST_OF_ACCOUNT = statement(
  {
    name: column.text,
    rules: column.jsonOf<JsonObject>(),
    own_caps: orNull(column.jsonOf<JsonObject>()),
    calendar: column.jsonOf<JsonObject>(),
    posted: orNull(column.text),
  },
  `select name, rules, own_caps, calendar, (select posted::text from ledger_account where id = 'wallet:' || account.id) as posted
   from account where id = $1`,
);

export const SPENT_OF_BUDGET = statement(
  { spent: column.text },
  'select spent::text as spent from spend_counter where id = $1',
);

export const CAPPED_KEYS = statement(
  { id: column.text, name: column.text, caps: column.jsonOf<JsonObject>() },
  `select id, name, rules -> 'caps' as caps from api_key
   where account_id = $1 and revoked_at is null and rules -> 'caps' is not null limit 200`,
);
