/** Statements that the watches read with, and those that remember what was told. */

import type { JsonObject } from '../../core/json.ts';
import { stuckBefore } from '../../payments/index.ts';
import { column, command, orNull, statement } from '../../platform/db/index.ts';

export const MEMORY = statement(
  { value: column.jsonOf<JsonObject>() },
  'select value from alert_memory where account_id = $1 and subject = $2',
);

export const WRITE_MEMORY = command(
  `insert into alert_memory (account_id, subject, value) values ($1, $2, $3)
   on conflict (account_id, subject) do update set value = excluded.value`,
);

export const TAKE_TURN = statement(
  { subject: column.text },
  `insert into alert_memory (account_id, subject, value) values ('', $1, $2)
   on conflict (account_id, subject) do update set value = excluded.value
   where (alert_memory.value ->> 'until')::bigint <= $3 returning subject`,
);

export const ACTIVE_ACCOUNTS = statement(
  {
    id: column.text,
    calendar: column.jsonOf<JsonObject>(),
    rules: column.jsonOf<JsonObject>(),
    own_caps: orNull(column.jsonOf<JsonObject>()),
  },
  `select id, calendar, rules, own_caps from account
   where id in (select distinct account_id from usage_daily where day >= $1::date)`,
);

export const BUDGETS_OF_ACCOUNT = statement(
  { id: column.text, name: column.text, caps: column.jsonOf<JsonObject>() },
  'select id, name, caps from shared_budget where account_id = $1',
);

export const KEYS_OF_ACCOUNT = statement(
  { id: column.text, name: column.text, rules: column.jsonOf<JsonObject>() },
  'select id, name, rules from api_key where account_id = $1 and revoked_at is null',
);

export const EXPIRING_KEYS = statement(
  { id: column.text, account_id: column.text, name: column.text, expires_at: column.text, manages: column.boolean },
  `select id, account_id, name, rules ->> 'expires_at' as expires_at, false as manages from api_key
   where revoked_at is null and rules ->> 'expires_at' is not null
   union all
   select id, account_id, name, to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), true
   from management_key where revoked_at is null and expires_at > $1`,
);

export const STUCK_PAYMENTS = statement(
  { id: column.text, problem: orNull(column.text), refund: orNull(column.text), refund_number: column.int },
  `select id, problem, refund_number, coalesce(refund_state, (
     select part.state from payment_refund part where part.order_id = payment_order.id and part.state in ('refused', 'unknown')
     order by part.number limit 1)) as refund
   from payment_order
   where ${stuckBefore('$1')}
   order by updated_at desc limit 100`,
);

export const CATALOG_NEWS = statement(
  {
    event: column.textOf<'price.announced' | 'model.withdrawn'>(),
    model: column.text,
    occasion: column.text,
    at: column.timestamp,
    successor: orNull(column.text),
  },
  `select 'price.announced' as event, model_id as model, model_id || ':' || effective_at::text as occasion, effective_at as at,
     null as successor
     from price where effective_at > $1 and withdrawn_at is null
   union all
   select 'model.withdrawn', id, id || ':' || extract(epoch from gone)::text, gone, successor from (
     select id, successor, enabled, disabled_at, retires_at,
       case when not enabled and disabled_at < coalesce(retires_at, 'infinity') then disabled_at else retires_at end as gone
     from model) as m
     where retires_at > $1::timestamptz - interval '1 day'
       or (not enabled and disabled_at > $1::timestamptz - interval '1 day')`,
);

export const USERS_OF_MODEL = statement(
  { account_id: column.text },
  'select distinct account_id from usage_daily where model = $1 and day > $2::date - 30',
);

export const BALANCE_OF_WALLET = statement(
  { posted: column.text },
  'select posted::text as posted from ledger_account where id = $1',
);

export const SPENT_OF_BUDGETS = statement(
  { id: column.text, spent: column.text },
  'select id, spent::text as spent from spend_counter where id = any($1)',
);

export const SPEND_OF_KEYS = statement(
  { key_id: column.text, today: column.text, before: column.text, days: column.bigint },
  `select key_id, coalesce(sum(cost) filter (where day = $2::date), 0)::text as today,
     coalesce(sum(cost) filter (where day < $2::date), 0)::text as before,
     count(distinct day) filter (where day < $2::date and cost > 0) as days
   from usage_daily where account_id = $1 and day > $2::date - 15 group by key_id`,
);

export const ERRORS_OF_ACCOUNT = statement(
  { all: column.bigint, failed: column.bigint },
  `select count(*) as all, count(*) filter (where error_code in ('upstream_error', 'upstream_timeout', 'internal_error', 'overloaded')) as failed
   from request_log where account_id = $1 and created_at > $2`,
);

export const PLAY_MONEY = statement(
  { accounts: column.bigint, amount: orNull(column.text) },
  `select count(distinct account_id) as accounts, sum(amount)::text as amount from payment_order
   where gateway = 'sandbox' and state = 'credited'`,
);
