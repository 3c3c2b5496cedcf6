/** Every statement on `export_job` and `export_chunk`. */
import type { JsonObject } from '../core/json.ts';
import { lockUntilCommit, type Queryable } from '../platform/db/index.ts';

export type ExportState = 'waiting' | 'running' | 'done' | 'stopped' | 'failed';

export interface ExportJob {
  id: string;
  list: string;
  query: JsonObject;
  language: 'fa' | 'en';
  owner: string;
  sight: string;
  state: ExportState;
  rows: number;
  bytes: number;
  place: string | null;
  reachedAt: Date | null;
  problem: string | null;
  tries: number;
  createdAt: Date;
  endedAt: Date | null;
}

const COLUMNS = `id, list, query, language, owner, sight, state, rows::float8 as rows, bytes::float8 as bytes, place,
  reached_at as "reachedAt", problem, tries, created_at as "createdAt", ended_at as "endedAt"`;
const RUNNING = `state in ('waiting', 'running')`;

export async function insertJob(tx: Queryable, job: ExportJob): Promise<void> {
  await tx.query(
    `insert into export_job (id, list, query, language, owner, sight, state, created_at)
     values ($1, $2, $3, $4, $5, $6, 'waiting', $7)`,
    [job.id, job.list, job.query, job.language, job.owner, job.sight, job.createdAt],
  );
}

export function jobsOf(db: Queryable, owner: string): Promise<ExportJob[]> {
  return db.query<ExportJob>(
    `select ${COLUMNS} from export_job where owner = $1 order by created_at desc, id desc limit 50`,
    [owner],
  );
}

export async function findJob(db: Queryable, owner: string, id: string): Promise<ExportJob | undefined> {
  const [job] = await db.query<ExportJob>(`select ${COLUMNS} from export_job where id = $1 and owner = $2`, [
    id,
    owner,
  ]);
  return job;
}

export async function countUnfinished(tx: Queryable, owner: string): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    `select count(*)::integer as n from export_job where owner = $1 and ${RUNNING}`,
    [owner],
  );
  return row?.n ?? 0;
}

/** Those that ended longest ago make room for a new one. */
export async function forgetOldest(tx: Queryable, owner: string, kept: number): Promise<void> {
  await tx.query(
    `delete from export_job where id in (
       select id from export_job where owner = $1 and not ${RUNNING} order by created_at desc offset $2)`,
    [owner, kept],
  );
}

export async function stopJob(db: Queryable, owner: string, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(
    `update export_job set state = 'stopped', ended_at = $3 where id = $1 and owner = $2 and ${RUNNING} returning id`,
    [id, owner, now],
  );
  return rows.length > 0;
}

export async function deleteJobsBefore(db: Queryable, moment: Date): Promise<void> {
  await db.query('delete from export_job where created_at < $1', [moment]);
}

export interface Lease {
  worker: string;
  now: Date;
  until: Date;
  /** How many may run at once, over all replicas. */
  atOnce: number;
  /** A job that died so often is given up. */
  maxTries: number;
}

/** Asked every second, so it locks and writes nothing: nearly always there is none. */
export async function anyUnfinished(db: Queryable): Promise<boolean> {
  return (await db.query(`select 1 from export_job where ${RUNNING} limit 1`)).length > 0;
}

/** The oldest that waits, or whose worker is gone. */
export async function takeJob(tx: Queryable, lease: Lease): Promise<{ job?: ExportJob; givenUp: ExportJob[] }> {
  const { worker, now, until, atOnce, maxTries } = lease;
  await lockUntilCommit(tx, 'export jobs');
  const givenUp = await tx.query<ExportJob>(
    `update export_job set state = 'failed', problem = 'interrupted', ended_at = $1
     where state = 'running' and leased_until <= $1 and tries >= $2 returning ${COLUMNS}`,
    [now, maxTries],
  );
  const [job] = await tx.query<ExportJob>(
    `update export_job set state = 'running', worker = $1, leased_until = $3, tries = tries + 1
     where id = (
       select id from export_job where state = 'waiting' or (state = 'running' and leased_until <= $2)
       order by created_at, id limit 1)
       and (select count(*) from export_job where state = 'running' and leased_until > $2) < $4
     returning ${COLUMNS}`,
    [worker, now, until, atOnce],
  );
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
  /** Set with the last one. */
  endedAt: Date | null;
  problem: string | null;
}

/** The chunks and where to go on are one transaction: a killed worker's successor writes no row twice. False: it is no longer ours. */
export async function keepSlice(tx: Queryable, slice: Slice): Promise<boolean> {
  const state = slice.problem !== null ? 'failed' : slice.endedAt === null ? 'running' : 'done';
  const [job] = await tx.query(
    `update export_job set rows = rows + $3, bytes = bytes + $4, place = $5, reached_at = coalesce($6, reached_at),
       leased_until = $7, ended_at = $8, state = $9, problem = $10, tries = 0
     where id = $1 and worker = $2 and state = 'running' returning id`,
    [
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
    ],
  );
  if (!job) return false;
  const [last] = await tx.query<{ n: number }>(
    'select coalesce(max(number), 0) as n from export_chunk where job_id = $1',
    [slice.id],
  );
  let number = last?.n ?? 0;
  for (const chunk of slice.chunks)
    await tx.query('insert into export_chunk (job_id, number, content) values ($1, $2, $3)', [
      slice.id,
      ++number,
      chunk,
    ]);
  return true;
}

/** False: it is no longer this worker's. */
export async function failJob(tx: Queryable, id: string, worker: string, problem: string, now: Date): Promise<boolean> {
  const rows = await tx.query(
    `update export_job set state = 'failed', problem = $3, ended_at = $4 where id = $1 and worker = $2 and state = 'running' returning id`,
    [id, worker, problem, now],
  );
  return rows.length > 0;
}

export async function readChunk(db: Queryable, id: string, number: number): Promise<Uint8Array | undefined> {
  const [row] = await db.query<{ content: Uint8Array }>(
    'select content from export_chunk where job_id = $1 and number = $2',
    [id, number],
  );
  return row?.content;
}
