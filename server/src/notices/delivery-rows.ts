/** Statements on deliveries that wait. One replica at a time leases a delivery. */
import type { JsonObject } from '../core/json.ts';
import { column, command, commandFor, orNull, type RowOf, statement, statementFor } from '../platform/db/index.ts';

export type DeliveryTable = 'notice_delivery' | 'staff_delivery' | 'settled_event';

/** The expression `taken`: deliveries that are due, leased to this replica. $1: now; $2: until when; $3: how many. */
export const taken = (table: DeliveryTable) => `taken as (
  update ${table} set leased_until = $2 where id in (
    select id from ${table} where state = 'waiting' and next_try_at <= $1 and (leased_until is null or leased_until <= $1)
    order by next_try_at limit $3 for update skip locked
  ) returning *
)`;

/** For a queue: one index answers it, and leasing is an expensive statement even when nothing is due. $1: now. */
export const DUE = statementFor(
  {},
  (table: DeliveryTable) => `select from ${table} where state = 'waiting' and next_try_at <= $1`,
  ['notice_delivery'],
  ['staff_delivery'],
  ['settled_event'],
);

export const PUT_OFF = commandFor(
  (table: DeliveryTable) => `update ${table} set next_try_at = $2, leased_until = null where id = $1`,
  ['notice_delivery'],
  ['staff_delivery'],
  ['settled_event'],
);

export const NOTE_TRY = commandFor(
  (table: DeliveryTable) =>
    `update ${table} set state = $2, tries = $3, first_try_at = $4, next_try_at = $5, leased_until = null, last_status = $6,
       last_problem = $7, sent_at = $8 where id = $1`,
  ['notice_delivery'],
  ['staff_delivery'],
  ['settled_event'],
);

const dueDeliveryRow = {
  id: column.text,
  account_id: column.text,
  channel: column.textOf<'email' | 'sms' | 'webhook'>(),
  address: orNull(column.text),
  tries: column.int,
  first_try_at: orNull(column.timestamp),
  notice_id: column.text,
  event: column.text,
  data: column.jsonOf<JsonObject>(),
  link: orNull(column.text),
  noticed_at: column.timestamp,
  target_id: orNull(column.text),
  url: orNull(column.text),
  sealed: orNull(column.text),
  target_enabled: orNull(column.boolean),
  calendar: orNull(column.jsonOf<JsonObject>()),
};

export type DueDelivery = RowOf<typeof dueDeliveryRow>;

export const TAKE_DELIVERIES = statement(
  dueDeliveryRow,
  `with ${taken('notice_delivery')}
   select taken.id, taken.account_id, taken.channel, taken.address, taken.tries, taken.first_try_at, taken.notice_id,
     notice.event, notice.data, notice.link, notice.created_at as noticed_at, target.id as target_id, target.url, target.sealed,
     target.enabled as target_enabled, account.calendar
   from taken join notice on notice.id = taken.notice_id left join alert_target target on target.id = taken.target_id
     left join account on account.id = taken.account_id`,
);

/**
 * The limit of one account. A target that is unreachable for long makes it miss events, and the request log has them
 * all.
 */
const MAX_WAITING = 10_000;

/** One statement for the batch. Rows that exist already belong to a batch that is posted again. */
export const PUT_EVENTS = statement(
  { wanted: column.float, put: column.float },
  `with given as (
  select * from unnest($1::text[], $2::text[], $3::text[]) with ordinality as line (account_id, request_id, data, place)
), wanted as (
  select given.account_id, given.request_id || '.' || target.id as id, target.id as target_id, data::jsonb as data,
    row_number() over (partition by given.account_id order by place, target.id) as nth
  from given join alert_target target on target.account_id = given.account_id and target.enabled
), waiting as (
  select account_id, count(*) as n from settled_event where account_id = any($1::text[]) group by account_id
), put as (
  insert into settled_event (id, account_id, target_id, data, state, next_try_at, created_at)
  select id, account_id, target_id, data, 'waiting', $4, $4 from wanted left join waiting using (account_id)
  where coalesce(n, 0) + nth <= ${MAX_WAITING}
  on conflict (id) do nothing returning id
)
select (select count(*) from wanted where not exists (select from settled_event one where one.id = wanted.id))::float8 as wanted,
  (select count(*) from put)::float8 as put`,
);

const dueEventRow = {
  id: column.text,
  account_id: column.text,
  tries: column.int,
  first_try_at: orNull(column.timestamp),
  data: column.jsonOf<JsonObject>(),
  created_at: column.timestamp,
  target_id: column.text,
  url: orNull(column.text),
  sealed: orNull(column.text),
  target_enabled: orNull(column.boolean),
};

export type DueEvent = RowOf<typeof dueEventRow>;

export const TAKE_EVENTS = statement(
  dueEventRow,
  `with ${taken('settled_event')}
   select taken.id, taken.account_id, taken.tries, taken.first_try_at, taken.data, taken.created_at, taken.target_id, target.url,
     target.sealed, target.enabled as target_enabled
   from taken left join alert_target target on target.id = taken.target_id`,
);

export const DELETE_EVENT = command('delete from settled_event where id = $1');
