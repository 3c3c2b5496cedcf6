/**
 * The statements on partitions of the request log. Partitions are made while the server runs, so no migrated database has those of
 * days: the test describes what it can on the default partition. Of definitions of tables (`create`, `attach`, `drop`) and locks the
 * database reads the grammar alone.
 */
import { GIVEN_BACK } from '@dargah/core/transfer-kinds.ts';
import { column, command, commandFor, statement, statementFor } from '../platform/db/index.ts';
import { spentSql } from './spent-sql.ts';

/** Any constant works, as long as every replica uses the same. */
const LOCK_KEY = '742919338';
const TIMEOUT_MS = 1_000;
const DEFAULT_PARTITION = 'request_log_default';

export interface PartitionSpan {
  name: string;
  /** Midnight UTC; `to` is not included. */
  from: string;
  to: string;
}

const SAMPLE: PartitionSpan = {
  name: DEFAULT_PARTITION,
  from: '2026-11-18 00:00:00+00',
  to: '2026-11-19 00:00:00+00',
};

export const LIMIT_LOCK_WAIT = command(`set local lock_timeout = '${TIMEOUT_MS}ms'`);

export const LOCK_PARTITIONS = statement(
  { pg_advisory_xact_lock: column.of<''>('void') },
  `select pg_advisory_xact_lock(${LOCK_KEY})`,
);

export const TABLE_EXISTS = statement({ exists: column.boolean }, 'select to_regclass($1) is not null as exists');

export const LOG_PARTITIONS = statement(
  { name: column.of<string>('name') },
  `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
     where inhparent = 'request_log'::regclass order by child.relname`,
);

/**
 * The columns and conditions of the log for a partition of it, widest first: without gaps between them a row is 9 bytes smaller.
 * PostgreSQL takes them in any order; keys, indexes and triggers come with `attach`.
 */
export const PACKED_COLUMNS = statement(
  { columns: column.text, names: column.text },
  `
select string_agg(quote_ident(attname) || ' ' || format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end,
    ', ' order by attlen = -1, attlen desc, attnum)
    || coalesce((select string_agg(', constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid), '')
                 from pg_constraint where conrelid = 'request_log'::regclass and contype = 'c'), '') as columns,
  string_agg(quote_ident(attname), ', ' order by attnum) as names
from pg_attribute where attrelid = 'request_log'::regclass and attnum > 0 and not attisdropped`,
);

export const CREATE_PARTITION = commandFor(
  (name: string, columns: string) => `create table ${name} (${columns})`,
  ['request_log_20261118', 'id text not null'],
);

/** Moves the rows of this day out of the default partition. */
export const FILL_PARTITION = commandFor(
  ({ name, from, to }: PartitionSpan, names: string) =>
    `with moved as (delete from request_log_default where created_at >= '${from}' and created_at < '${to}' returning ${names})
     insert into ${name} (${names}) select ${names} from moved`,
  [SAMPLE, 'id, created_at'],
);

export const ATTACH_PARTITION = commandFor(
  ({ name, from, to }: PartitionSpan) =>
    `alter table request_log attach partition ${name} for values from ('${from}') to ('${to}')`,
  [SAMPLE],
);

export const LOCK_PARTITION = commandFor(
  (name: string) => `lock table ${name} in share row exclusive mode`,
  [DEFAULT_PARTITION],
);

/** Adds what the rows of a partition say about spend counters to the carried sums. */
export const CARRY_SPEND = commandFor(
  (name: string) => `
    insert into spend_carried as carried (id, spent)
    select budget, sum(amount) from (
      ${spentSql(`${name} log`)}
      union all
      select budget, -refund.amount from ${name} log
        join ledger_transfer refund on refund.request_id = log.id and refund.kind in ${GIVEN_BACK}
        cross join spend_counters(log.counters, log.key_id, log.account_id) as budget
    ) as part group by budget order by budget
    on conflict (id) do update set spent = carried.spent + excluded.spent`,
  [DEFAULT_PARTITION],
);

export const MOVE_HORIZON = command(
  `insert into request_log_horizon as horizon (kept_from) values ($1)
     on conflict (only_row) do update set kept_from = greatest(horizon.kept_from, excluded.kept_from)`,
);

export const DROP_PARTITION = commandFor((name: string) => `drop table ${name}`, [DEFAULT_PARTITION]);

/** $1 midnight UTC of the partition's day. */
export const IS_SEALED = statementFor(
  { sealed: column.boolean },
  (name: string) =>
    `select exists (select from ledger_clock where unsealed_at >= $1::timestamptz + interval '1 day')
       and not exists (select from proof_run where state = 'running' and kind = 'whole')
       and not exists (
         select from ledger_transfer refund join ${name} log on log.id = refund.request_id
         where refund.kind in ${GIVEN_BACK} and refund.created_at >= (select unsealed_at from ledger_clock)) as sealed`,
  [DEFAULT_PARTITION],
);
