/** Statements on notices of accounts, their rules and their deliveries. */
import type { JsonObject } from '../core/json.ts';
import { column, command, orNull, type RowOf, statement } from '../platform/db/index.ts';

const noticeRow = {
  id: column.text,
  event: column.text,
  data: column.jsonOf<JsonObject>(),
  link: orNull(column.text),
  created_at: column.timestamp,
};

export type NoticeRow = RowOf<typeof noticeRow>;

const ruleRow = {
  event: column.text,
  enabled: orNull(column.boolean),
  channels: orNull(column.json),
  terms: column.json,
};

export type RuleRow = RowOf<typeof ruleRow>;

/** $2 and $3: where the page before ended; $4: how many. */
const newest = (whose: string) => `select id, event, data, link, created_at from notice where ${whose}
  and ($2::timestamptz is null or (created_at, id) < ($2, $3)) order by created_at desc, id desc limit $4`;

export const NOTICES_OF_ACCOUNT = statement(noticeRow, newest('account_id = $1'));

/** Each part uses its own index, however many notices the other has. Tests are in nobody's list. */
export const NOTICES_OF_STAFF = statement(
  noticeRow,
  `select * from (
     (${newest(`account_id = '' and event <> all($1::text[])`)}) union all
     (${newest(`account_id = $5 and occasion not like 'test:%' and event <> all($1::text[])`)})) as told
   order by created_at desc, id desc limit $4`,
);

export const ALERT_SETTINGS = statement(
  { quiet_from: orNull(column.int), quiet_to: orNull(column.int), read_at: orNull(column.timestamp) },
  'select quiet_from, quiet_to, read_at from alert_settings where account_id = $1',
);

export const TESTS_SINCE = statement(
  {},
  `select from notice where account_id = $1 and occasion like 'test:%' and created_at > $2`,
);

export const COUNT_UNREAD = statement(
  { unread: column.bigint },
  'select count(*) as unread from notice where account_id = $1 and created_at > $2',
);

export const MARK_NOTICES_READ = command(
  `insert into alert_settings (account_id, read_at) values ($1, $2)
   on conflict (account_id) do update set read_at = excluded.read_at`,
);

export const CHANGE_RULE = command(
  `insert into alert_rule (account_id, event, enabled, channels, terms) values ($1, $2, $3, $4::jsonb, $5)
   on conflict (account_id, event) do update set enabled = coalesce(excluded.enabled, alert_rule.enabled),
     channels = coalesce(excluded.channels, alert_rule.channels), terms = alert_rule.terms || excluded.terms`,
);

export const SET_QUIET_HOURS = command(
  `insert into alert_settings (account_id, quiet_from, quiet_to) values ($1, $2, $3)
   on conflict (account_id) do update set quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to`,
);

export const INSERT_NOTICE = statement(
  { id: column.text },
  `insert into notice (id, account_id, event, occasion, data, link, created_at) values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (account_id, event, occasion) do nothing returning id`,
);

export const INSERT_DELIVERY = command(
  `insert into notice_delivery (id, notice_id, account_id, channel, target_id, address, state, next_try_at, created_at)
   values ($1, $2, $3, $4, $5, $6, 'waiting', $7, $7)`,
);

export const ENABLED_TARGETS = statement(
  { id: column.text },
  'select id from alert_target where account_id = $1 and enabled order by created_at',
);

export const RULES_OF_ACCOUNT = statement(
  ruleRow,
  'select event, enabled, channels, terms from alert_rule where account_id = $1',
);
