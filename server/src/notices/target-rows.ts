/** Statements on webhook targets of accounts, and on the log of deliveries. */
import { column, columnsOf, orNull, type RowOf, readAs, statement } from '../platform/db/index.ts';

export const targetRow = {
  id: column.text,
  url: column.text,
  enabled: column.boolean,
  problem: orNull(column.text),
  createdAt: column.timestamp,
};

export type AlertTarget = RowOf<typeof targetRow>;

export const TARGET_COLUMNS = columnsOf(targetRow);

const deliveryRow = {
  id: column.text,
  noticeId: column.text,
  event: readAs('n.event', column.text),
  channel: column.textOf<'email' | 'sms' | 'webhook'>(),
  to: readAs(`coalesce(t.url, d.address, '')`, column.text),
  state: column.textOf<'waiting' | 'sent' | 'failed' | 'suppressed'>(),
  tries: column.int,
  lastStatus: orNull(column.int),
  lastProblem: orNull(column.text),
  nextTryAt: orNull(column.timestamp),
  createdAt: column.timestamp,
  sentAt: orNull(column.timestamp),
};
/** Its event may be one that only another version knows. */
export type DeliveryRow = RowOf<typeof deliveryRow>;

const DELIVERIES = `select ${columnsOf(deliveryRow, 'd')} from notice_delivery d join notice n on n.id = d.notice_id
  left join alert_target t on t.id = d.target_id`;

export const TARGETS_OF_ACCOUNT = statement(
  targetRow,
  `select ${TARGET_COLUMNS} from alert_target where account_id = $1 order by created_at, id`,
);

export const COUNT_TARGETS = statement(
  { n: column.bigint },
  'select count(*) as n from alert_target where account_id = $1',
);

export const INSERT_TARGET = statement(
  targetRow,
  `insert into alert_target (id, account_id, url, sealed, enabled, created_at) values ($1, $2, $3, $4, true, $5)
   returning ${TARGET_COLUMNS}`,
);

export const ENABLE_TARGET = statement(
  targetRow,
  `update alert_target set enabled = true, problem = null, failing_since = null where id = $1 and account_id = $2
   returning ${TARGET_COLUMNS}`,
);

export const DELETE_TARGET = statement(
  { id: column.text },
  'delete from alert_target where id = $1 and account_id = $2 returning id',
);

export const DELIVERIES_OF_ACCOUNT = statement(
  deliveryRow,
  `${DELIVERIES} where d.account_id = $1 and ($2::timestamptz is null or (d.created_at, d.id) < ($2, $3))
   order by d.created_at desc, d.id desc limit $4`,
);

export const REPLAY_DELIVERY = statement(
  { id: column.text },
  `update notice_delivery set state = 'waiting', tries = 0, first_try_at = null, next_try_at = $3, leased_until = null
   where id = $1 and account_id = $2 and channel = 'webhook' returning id`,
);

export const DELIVERY_BY_ID = statement(deliveryRow, `${DELIVERIES} where d.id = $1`);

export const SWITCH_OFF_TARGET = statement(
  { id: column.text },
  'update alert_target set enabled = false, problem = $2, failing_since = $3 where id = $1 and enabled returning id',
);
