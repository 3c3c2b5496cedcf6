/** Every statement on `export_job` and `export_chunk`. */
import type { StaffList } from '@dargah/core/staff-lists.ts';
import type { JsonObject } from '../core/json.ts';
import {
  column,
  columnsOf,
  command,
  lockUntilCommit,
  orNull,
  type Queryable,
  type RowOf,
  readAs,
  statement,
} from '../platform/db/index.ts';

export type ExportState = 'waiting' | 'running' | 'done' | 'stopped' | 'failed';

const jobRow = {
  id: column.text,
  list: column.textOf<StaffList>(),
  query: column.jsonOf<JsonObject>(),
  language: column.textOf<'fa' | 'en'>(),
  owner: column.text,
  sight: column.text,
  state: column.textOf<ExportState>(),
  rows: readAs('rows::float8', column.float),
  bytes: readAs('bytes::float8', column.float),
  place: orNull(column.text),
  reachedAt: orNull(column.timestamp),
  problem: orNull(column.text),
  tries: column.int,
  createdAt: column.timestamp,
  endedAt: orNull(column.timestamp),
};
export type ExportJob = RowOf<typeof jobRow>;

const COLUMNS = columnsOf(jobRow);
const RUNNING = `state in ('waiting', 'running')`;

const INSERT_JOB = command(
  `insert into export_job (id, list, query, language, owner, sight, state, created_at)
   values ($1, $2, $3, $4, $5, $6, 'waiting', $7)`,
);

export async function insertJob(tx: Queryable, job: ExportJob): Promise<void> {
  await INSERT_JOB.run(tx, [job.id, job.list, job.query, job.language, job.owner, job.sight, job.createdAt]);
}

const JOBS_OF_OWNER = statement(
  jobRow,
  `select ${COLUMNS} from export_job where owner = $1 order by created_at desc, id desc limit 50`,
);

export function jobsOf(db: Queryable, owner: string): Promise<ExportJob[]> {
  return JOBS_OF_OWNER.rows(db, [owner]);
}

const JOB = statement(jobRow, `select ${COLUMNS} from export_job where id = $1 and owner = $2`);

export async function findJob(db: Queryable, owner: string, id: string): Promise<ExportJob | undefined> {
  return JOB.first(db, [id, owner]);
}

const COUNT_UNFINISHED = statement(
  { n: column.int },
  `select count(*)::integer as n from export_job where owner = $1 and ${RUNNING}`,
);

export async function countUnfinished(tx: Queryable, owner: string): Promise<number> {
  const row = await COUNT_UNFINISHED.first(tx, [owner]);
  return row?.n ?? 0;
}

const FORGET_OLDEST = command(
  `delete from export_job where id in (
     select id from export_job where owner = $1 and not ${RUNNING} order by created_at desc offset $2)`,
);

/** Deletes those that ended longest ago, to make room for a new one. */
export async function forgetOldest(tx: Queryable, owner: string, kept: number): Promise<void> {
  await FORGET_OLDEST.run(tx, [owner, kept]);
}

const STOP_JOB = statement(
  { id: column.text },
  `update export_job set state = 'stopped', ended_at = $3 where id = $1 and owner = $2 and ${RUNNING} returning id`,
);

export async function stopJob(db: Queryable, owner: string, id: string, now: Date): Promise<boolean> {
  const rows = await STOP_JOB.rows(db, [id, owner, now]);
  return rows.length > 0;
}

const DELETE_JOBS_BEFORE = command('delete from export_job where created_at < $1');

export async function deleteJobsBefore(db: Queryable, moment: Date): Promise<void> {
  await DELETE_JOBS_BEFORE.run(db, [moment]);
}

export interface Lease {
  worker: string;
  now: Date;
  until: Date;
  /** How many may run at once, over all replicas. */
  atOnce: number;
  /** A job whose workers died this often is given up. */
  maxTries: number;
}

/** Also jobs that run, since their worker may have died. */
export const EXPORTS_WAITING = statement({}, `select from export_job where ${RUNNING}`);

const GIVE_UP_JOBS = statement(
  jobRow,
  `update export_job set state = 'failed', problem = 'interrupted', ended_at = $1
   where state = 'running' and leased_until <= $1 and tries >= $2 returning ${COLUMNS}`,
);
const TAKE_JOB = statement(
  jobRow,
  `update export_job set state = 'running', worker = $1, leased_until = $3, tries = tries + 1
   where id = (
     select id from export_job where state = 'waiting' or (state = 'running' and leased_until <= $2)
     order by created_at, id limit 1)
     and (select count(*) from export_job where state = 'running' and leased_until > $2) < $4
   returning ${COLUMNS}`,
);

/** Leases the oldest job that waits, or whose worker has died. */
export async function takeJob(tx: Queryable, lease: Lease): Promise<{ job?: ExportJob; givenUp: ExportJob[] }> {
  const { worker, now, until, atOnce, maxTries } = lease;
  await lockUntilCommit(tx, 'export jobs');
  const givenUp = await GIVE_UP_JOBS.rows(tx, [now, maxTries]);
  const job = await TAKE_JOB.first(tx, [worker, now, until, atOnce]);
  return { ...(job && { job }), givenUp };
}

export interface Slice {
  id: string;
  worker: string;
  rows: number;
  bytes: number;
  place: string | null;
  reachedAt: Date | null;
  leasedUntil: Date;
  chunks: readonly Uint8Array[];
  /** Set together with the last chunk. */
  endedAt: Date | null;
  problem: string | null;
}

const KEEP_SLICE = statement(
  { id: column.text },
  `update export_job set rows = rows + $3, bytes = bytes + $4, place = $5, reached_at = coalesce($6, reached_at),
     leased_until = $7, ended_at = $8, state = $9, problem = $10, tries = 0
   where id = $1 and worker = $2 and state = 'running' returning id`,
);
const LAST_CHUNK = statement(
  { n: column.int },
  'select coalesce(max(number), 0) as n from export_chunk where job_id = $1',
);
const INSERT_CHUNK = command('insert into export_chunk (job_id, number, content) values ($1, $2, $3)');

/**
 * Writes the chunks and the place to continue from in one transaction, so that a killed worker's successor writes no
 * row twice. Returns false when the job is no longer ours.
 */
export async function keepSlice(tx: Queryable, slice: Slice): Promise<boolean> {
  const state = slice.problem !== null ? 'failed' : slice.endedAt === null ? 'running' : 'done';
  const job = await KEEP_SLICE.first(tx, [
    slice.id,
    slice.worker,
    slice.rows,
    slice.bytes,
    slice.place,
    slice.reachedAt,
    slice.leasedUntil,
    slice.endedAt,
    state,
    slice.problem,
  ]);
  if (!job) return false;
  const last = await LAST_CHUNK.first(tx, [slice.id]);
  let number = last?.n ?? 0;
  for (const chunk of slice.chunks) await INSERT_CHUNK.run(tx, [slice.id, ++number, chunk]);
  return true;
}

const FAIL_JOB = statement(
  { id: column.text },
  `update export_job set state = 'failed', problem = $3, ended_at = $4 where id = $1 and worker = $2 and state = 'running' returning id`,
);

/** Returns false when it is no longer this worker's. */
export async function failJob(tx: Queryable, id: string, worker: string, problem: string, now: Date): Promise<boolean> {
  const rows = await FAIL_JOB.rows(tx, [id, worker, problem, now]);
  return rows.length > 0;
}

const CHUNK = statement(
  { content: column.bytes },
  'select content from export_chunk where job_id = $1 and number = $2',
);

export async function readChunk(db: Queryable, id: string, number: number): Promise<Uint8Array | undefined> {
  const row = await CHUNK.first(db, [id, number]);
  return row?.content;
}
