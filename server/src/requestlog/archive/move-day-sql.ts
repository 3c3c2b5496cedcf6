/**
 * The statements that move a day to the archive. `part` is the name of the day's partition, which is made while the
 * server runs, so the test of all statements describes these on the default partition.
 */
import { column, command, orNull, type RowOf, statement, statementFor } from '../../platform/db/index.ts';
import { READ_COLUMNS, recordRow } from '../record-sql.ts';

const DEFAULT_PARTITION = 'request_log_default';

const copiedRow = { rows: column.float, fingerprint: column.text };
export type Copied = RowOf<typeof copiedRow>;

/** Callers only need to know whether a row came back. */
const noted = { day: column.of<unknown>('date') };

/**
 * $1 day, $2 owner, $3 seconds of the lease. No row comes back when another replica is moving the day, or it is done.
 */
export const CLAIM_DAY = statement(
  { state: column.text, ...copiedRow },
  `
insert into log_archive_day as known (day, state, owner, lease_until) values ($1::date, 'copying', $2, now() + $3::float8 * interval '1 second')
on conflict (day) do update set owner = excluded.owner, lease_until = excluded.lease_until
  where known.state <> 'moved' and (known.owner = excluded.owner or known.lease_until < now())
returning state, rows::float8 as rows, fingerprint`,
);

/** $1 day, $2 owner, $3 seconds. No row comes back when the lease was lost. */
export const KEEP_LEASE = statement(
  noted,
  `
update log_archive_day set lease_until = now() + $3::float8 * interval '1 second' where day = $1::date and owner = $2 and state = 'copying'
returning day`,
);

export const COPY_AGAIN = command(
  `update log_archive_day set state = 'copying' where day = $1::date and state <> 'moved'`,
);

/** $1 day, $2 `copied`. Returns what the log had of the day when it was copied. */
export const COPIED_DAY = statement(
  copiedRow,
  'select rows::float8 as rows, fingerprint from log_archive_day where day = $1::date and state = $2 for update',
);

/** $1 day, $2 owner, $3 rows, $4 fingerprint. */
export const NOTE_COPIED = statement(
  noted,
  `
update log_archive_day set state = 'copied', rows = $3, fingerprint = $4 where day = $1::date and owner = $2 and state = 'copying' returning day`,
);

export const NOTE_MOVED = statement(
  noted,
  `update log_archive_day set state = 'moved', moved_at = now() where day = $1::date and state = 'copied' returning day`,
);

/** A row that was read as running may have ended since; nothing else of a row ever changes. */
const FINGERPRINT = `('x' || substr(encode(sha256(convert_to(
  concat_ws(chr(31), request_log.id, request_log.state, request_log.cost::text, request_log.counters, request_log.detail), 'UTF8')), 'hex'), 1, 12))::bit(48)::bigint`;

/** $1 the last id of the slice before. */
export const READ_SLICE = statementFor(
  { ...recordRow, fingerprint: column.text },
  (part: string, rows: number) => `
select ${READ_COLUMNS}, ${FINGERPRINT}::text as fingerprint from ${part} as request_log where id > $1 order by id limit ${Math.trunc(rows)}`,
  [DEFAULT_PARTITION, 1],
);

export const PART_FINGERPRINT = statementFor(
  copiedRow,
  (part: string) => `
select count(*)::float8 as rows, coalesce(sum(${FINGERPRINT}), 0)::text as fingerprint from ${part} as request_log`,
  [DEFAULT_PARTITION],
);

/** $1, $2 days or null. The first and the last day that only the archive has. */
export const MOVED_DAYS = statement(
  { from: orNull(column.text), to: orNull(column.text) },
  `
select min(day)::text as "from", max(day)::text as "to" from log_archive_day
where state = 'moved' and ($1::date is null or day >= $1::date) and ($2::date is null or day <= $2::date)`,
);

/** $1 day. */
export const DAYS_BEFORE = statement(
  { day: column.text },
  `select day::text as day from log_archive_day where state = 'moved' and day < $1::date order by day`,
);

export const FORGET_DAY = command(`delete from log_archive_day where day = $1::date and state = 'moved'`);
