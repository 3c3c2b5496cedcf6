/** Statements on what staff chose, their webhooks and their deliveries. */
import type { StaffRole } from '@dargah/core/roles.ts';
import type { Language } from '@dargah/core/text.ts';
import type { JsonObject } from '../../core/json.ts';
import { column, command, orNull, type RowOf, statement } from '../../platform/db/index.ts';
import { taken } from '../delivery-rows.ts';
import type { Severity } from '../event-kind.ts';
import type { EventName } from '../events.ts';
import { TARGET_COLUMNS, targetRow } from '../target-rows.ts';

export const TARGETS_OF_PERSON = statement(
  targetRow,
  `select ${TARGET_COLUMNS} from staff_target where person_id = $1 order by created_at, id`,
);

export const KNOWN_STAFF_TARGETS = statement({}, 'select from staff_target where person_id = $1');

export const INSERT_STAFF_TARGET = statement(
  targetRow,
  `insert into staff_target (id, person_id, url, sealed, enabled, created_at) values ($1, $2, $3, $4, true, $5)
   returning ${TARGET_COLUMNS}`,
);

export const ENABLE_STAFF_TARGET = statement(
  targetRow,
  `update staff_target set enabled = true, problem = null, failing_since = null where id = $1 and person_id = $2
   returning ${TARGET_COLUMNS}`,
);

export const DELETE_STAFF_TARGET = statement(
  { id: column.text },
  'delete from staff_target where id = $1 and person_id = $2 returning id',
);

const dueRow = {
  id: column.text,
  channel: column.textOf<'email' | 'sms' | 'webhook'>(),
  address: orNull(column.text),
  severity: column.textOf<Severity>(),
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
  language: column.textOf<Language>(),
  quiet_from: orNull(column.int),
  quiet_to: orNull(column.int),
  holds_all: orNull(column.boolean),
};

export type DueStaffDelivery = RowOf<typeof dueRow>;

export const TAKE_STAFF_DELIVERIES = statement(
  dueRow,
  `with ${taken('staff_delivery')}
   select taken.id, taken.channel, taken.address, taken.severity, taken.tries, taken.first_try_at, taken.notice_id,
     notice.event, notice.data, notice.link, notice.created_at as noticed_at, target.id as target_id, target.url,
     target.sealed, target.enabled as target_enabled, person.language, quiet.quiet_from, quiet.quiet_to, quiet.holds_all
   from taken join notice on notice.id = taken.notice_id join person on person.id = taken.person_id
     left join staff_target target on target.id = taken.target_id
     left join staff_quiet quiet on quiet.person_id = taken.person_id`,
);

export const SWITCH_OFF_STAFF_TARGET = command(
  'update staff_target set enabled = false, problem = $2, failing_since = $3 where id = $1 and enabled',
);

const personRow = {
  id: column.text,
  name: column.text,
  role: column.textOf<StaffRole>(),
  language: column.textOf<Language>(),
  quiet_from: orNull(column.int),
  quiet_to: orNull(column.int),
  holds_all: orNull(column.boolean),
  email: orNull(column.texts),
  sms: orNull(column.texts),
  targets: orNull(column.texts),
  chosen: orNull(column.jsonOf<JsonObject>()),
};

export type PersonRow = RowOf<typeof personRow>;

/** Staff are few, so all of them are read at once. */
export const EVERYONE = statement(
  personRow,
  `select person.id, person.name, staff.role, person.language, quiet.quiet_from, quiet.quiet_to, quiet.holds_all,
    (select array_agg(value order by value) from identity where person_id = person.id and kind = 'email') as email,
    (select array_agg(value order by value) from identity where person_id = person.id and kind = 'mobile') as sms,
    (select array_agg(id order by created_at, id) from staff_target where person_id = person.id and enabled) as targets,
    (select jsonb_object_agg(event, channels) from staff_alert where person_id = person.id) as chosen
  from staff join person on person.id = staff.person_id left join staff_quiet quiet on quiet.person_id = person.id
  where person.blocked_at is null order by person.created_at, person.id`,
);

export const HIDDEN_EVENTS = statement(
  { event: column.textOf<EventName>() },
  `select event from staff_alert where person_id = $1 and not channels @> '["console"]'`,
);

export const FORGET_CHOICE = command('delete from staff_alert where person_id = $1 and event = $2');

export const CHOOSE_CHANNELS = command(
  `insert into staff_alert (person_id, event, channels) values ($1, $2, $3::jsonb)
   on conflict (person_id, event) do update set channels = excluded.channels`,
);

export const SET_STAFF_QUIET = command(
  `insert into staff_quiet (person_id, quiet_from, quiet_to, holds_all) values ($1, $2, $3, $4)
   on conflict (person_id) do update set quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to,
     holds_all = excluded.holds_all`,
);

export const INSERT_STAFF_DELIVERY = command(
  `insert into staff_delivery (id, notice_id, person_id, channel, target_id, address, severity, state, next_try_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, 'waiting', $8, $8)`,
);

export const STAFF_TESTS_SINCE = statement({}, 'select from notice where account_id = $1 and created_at > $2');

export const INSERT_TEST_NOTICE = statement(
  { id: column.text },
  `insert into notice (id, account_id, event, occasion, data, created_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (account_id, event, occasion) do nothing returning id`,
);
