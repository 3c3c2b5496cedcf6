/** Statements on proofs of the books: runs, the state that they leave, and sealed days. */
import { column, command, orNull, type Queryable, type RowOf, statement } from '../../platform/db/index.ts';
import type { PageStart } from '../../platform/db/pages.ts';
import type { BooksState, CheckResult, ProofRun } from './proof.ts';

const runRow = {
  id: column.text,
  kind: column.textOf<ProofRun['kind']>(),
  asked_by: column.text,
  state: column.textOf<ProofRun['state']>(),
  started_at: column.timestamp,
  ended_at: orNull(column.timestamp),
  rows_read: column.bigint,
  rows_expected: column.bigint,
  slices: column.bigint,
  ok: orNull(column.boolean),
  checks: column.jsonOf<CheckResult[]>(),
  reason: orNull(column.text),
};
type RunRow = RowOf<typeof runRow>;

const RUN_COLUMNS = `id, kind, asked_by, state, started_at, ended_at, rows_read, rows_expected, slices, ok, checks, reason`;

const PROOF_RUNS = statement(
  runRow,
  `select ${RUN_COLUMNS} from proof_run where $1::timestamptz is null or (started_at, id) < ($1, $2)
   order by started_at desc, id desc limit $3`,
);

export function readRuns(db: Queryable, start: PageStart): Promise<RunRow[]> {
  return PROOF_RUNS.rows(db, [start.time, start.id, start.fetch]);
}

export function toRun(row: RunRow): ProofRun {
  const { id, kind, state, slices, ok, checks, reason } = row;
  return {
    id,
    kind,
    askedBy: row.asked_by,
    state,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    rowsRead: row.rows_read,
    rowsExpected: row.rows_expected,
    slices,
    ok,
    checks,
    reason,
  };
}

export const PROOF_RUN = statement(runRow, `select ${RUN_COLUMNS} from proof_run where id = $1`);

export const SEALED_DAYS = statement(
  {
    day: column.text,
    transfers: column.bigint,
    late: column.bigint,
    requests: column.bigint,
    charged: column.text,
    digest: column.text,
    sealedAt: column.timestamp,
    readAt: orNull(column.timestamp),
    broken: column.boolean,
  },
  `select day::text as day, transfers, late, requests, charged::text as charged, digest, sealed_at as "sealedAt",
   read_at as "readAt", broken from ledger_seal order by ledger_seal.day desc limit $1`,
);

export const STATEMENT_TIME = statement({ now: column.timestamp }, 'select statement_timestamp() as now');

export const TAKE_LIGHT = statement(
  { only_row: column.boolean },
  'update proof_state set light_at = $1 where light_at is not distinct from $2 returning only_row',
);

export const INSERT_LIGHT_RUN =
  command(`insert into proof_run (id, kind, asked_by, holder, state, started_at, heartbeat_at, ended_at, ok, checks)
   values ($1, 'light', 'schedule', $2, 'ended', $3, $4, $4, false, $5)`);

export const EXPECT_ROWS = command(`update proof_run set rows_expected = rows_read + (
   select coalesce(sum(transfers + requests), 0) from ledger_seal where day = any($2::date[])) where id = $1`);

/** Runs are kept as long. */
const KEPT = `interval '400 days'`;

export const TAKE_RUN = statement(
  { id: column.text },
  `insert into proof_run (id, kind, asked_by, holder, state, started_at, heartbeat_at) values ($1, $2, $3, $4, 'running', $5, $5)
   on conflict do nothing returning id`,
);

/** $1 who asked. */
export const MAKE_WHOLE = command(
  `update proof_run set kind = 'whole', asked_by = $1 where state = 'running' and kind = 'night'`,
);

export const RUN_GOING_ON = statement({ id: column.text }, `select id from proof_run where state = 'running'`);

export const END_LOST_RUNS = statement(
  { id: column.text },
  `update proof_run set state = 'failed', ended_at = $1, reason = $4
   where state = 'running' and holder <> $2 and (heartbeat_at < $3 or $5) returning id`,
);

export const FORGET_OLD_RUNS = command(`delete from proof_run where started_at < $1::timestamptz - ${KEPT}`);

export const KEEP_RUN = statement(
  { id: column.text },
  `update proof_run set heartbeat_at = $3, rows_read = rows_read + $4, slices = slices + 1
   where id = $1 and holder = $2 and state = 'running' returning id`,
);

export const END_RUN = statement(
  { id: column.text },
  `update proof_run set state = 'ended', ended_at = $3, heartbeat_at = $3, checks = $4, ok = $5
   where id = $1 and holder = $2 and state = 'running' and kind = $6 returning id`,
);

export const FAIL_RUN = statement(
  { id: column.text },
  `update proof_run set state = 'failed', ended_at = $3, reason = $4 where id = $1 and holder = $2 and state = 'running' returning id`,
);

const stateRow = {
  proved_at: orNull(column.timestamp),
  proved_to: orNull(column.text),
  run_id: orNull(column.text),
  failing: column.jsonOf<Failing>(),
  tries: column.int,
  tried_at: orNull(column.timestamp),
  reason: orNull(column.text),
  light_at: orNull(column.timestamp),
};
export type StateRow = RowOf<typeof stateRow>;

export type Failing = BooksState['failing'];

export const PROOF_STATE = statement(
  stateRow,
  `select proved_at, proved_to::text as proved_to, run_id, failing, tries, tried_at, reason, light_at from proof_state`,
);

export const NOTE_END = command(
  `update proof_state set proved_at = $1, proved_to = $2, run_id = $3, failing = $4, tries = 0, reason = null, tried_at = $1`,
);

export const FAILING_LOCKED = statement(
  { failing: column.jsonOf<(Failing[number] & { light?: true })[]>() },
  'select failing from proof_state for update',
);

export const NOTE_LIGHT = command('update proof_state set failing = $1');

export const NOTE_FAILURE = command('update proof_state set tries = tries + 1, tried_at = $1, reason = $2');

/** All days are read again within so many nights. */
const NIGHTS = 30;

export const ALL_SEALED_DAYS = statement(
  { day: column.text },
  'select day::text as day from ledger_seal order by ledger_seal.day',
);

export const DAYS_OF_A_NIGHT = statement(
  { day: column.text },
  `(select day::text as day from ledger_seal where broken order by ledger_seal.day limit 100)
   union all
   (select day::text from ledger_seal where not broken order by read_at nulls first, ledger_seal.day
    limit (select ceil(count(*) / ${NIGHTS}.0) from ledger_seal))`,
);
