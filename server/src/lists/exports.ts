/**
 * Lists as CSV files. They are made in the background in slices and kept for a day in the database, so that any replica
 * can make, continue and serve them. A list gives its columns and the reader of its pages; everything else is the same
 * for all.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { StaffRole } from '@dargah/core/roles.ts';
import type { StaffList } from '@dargah/core/staff-lists.ts';
import { DAY_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { BYTE_ORDER_MARK, type CsvCell, csvLine } from '../core/write-csv.ts';
import { noSuch } from '../keys/index.ts';
import type { RecordChange } from '../platform/audit-log.ts';
import { type Database, isUnreachable, lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import * as rows from './export-rows.ts';
import { listReasons } from './reasons.ts';

const zip = promisify(gzip);
const unzip = promisify(gunzip);

export interface ExportedPage {
  lines: readonly (readonly CsvCell[])[];
  next: string | null;
  /** The time of the oldest row that was looked at, for lists that go by time. */
  reachedMs: number | null;
}

export interface ExportableList {
  id: string;
  columns: readonly string[];
  /** Names the part of the list that this role may see under this query; undefined when it may see nothing. */
  sight(role: StaffRole, query: JsonObject): string | undefined;
  read(query: JsonObject, page: { after: string | null; limit: number; sight: string }): Promise<ExportedPage>;
}

export interface Exports {
  /** Lists are registered once, at the start. */
  add(list: ExportableList): void;
  begin(
    export_: { list: StaffList; query: JsonObject; language: 'fa' | 'en' },
    by: ExportOwner,
  ): Promise<rows.ExportJob>;
  of(owner: string): Promise<rows.ExportJob[]>;
  stop(id: string, owner: string): Promise<rows.ExportJob>;
  /** Streams the file. The role is checked again, because it may have changed since. */
  download(id: string, by: ExportOwner): Promise<{ job: rows.ExportJob; pieces: AsyncIterable<Uint8Array> }>;
  /**
   * Works on one job for a while, if there is one and fewer than two are being worked on. Returns true when there may
   * be more to do.
   */
  work(): Promise<boolean>;
  /** Deletes jobs that are older than a day. */
  clean(): Promise<void>;
}

export interface ExportOwner {
  actor: string;
  role: StaffRole;
}

export interface ExportsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  log: Log;
  /** Writes the audit log. */
  record: RecordChange;
  /** Tells the person who began it that it is done or failed, in the transaction that ends it. */
  tellEnd(tx: Queryable, job: rows.ExportJob): Promise<void>;
  bounds?: Partial<ExportBounds>;
}

export interface ExportBounds {
  sliceRows: number;
  /** Rows per read; a slice is several reads. */
  pageRows: number;
  maxRows: number;
  maxBytes: number;
  chunkBytes: number;
}

const BOUNDS: ExportBounds = {
  sliceRows: 10_000,
  pageRows: 2_000,
  maxRows: 5_000_000,
  maxBytes: 500 * 1024 * 1024,
  chunkBytes: 1024 * 1024,
};
const AT_ONCE = 2;
const MAX_UNFINISHED = 5;
export const EXPORT_LIFETIME_MS = DAY_MS;
const KEPT_PER_OWNER = 10;
const MAX_TRIES = 3;
const LEASE_MS = 2 * MINUTE_MS;
/** After this time the job is released for the next worker, so that a long job does not delay the end of a process. */
const TURN_MS = 5_000;

export function createExports(options: ExportsOptions): Exports {
  const { db, clock, randomBytes, record, tellEnd } = options;
  const lists = new Map<string, ExportableList>();
  const sightOf = (list: string, { role }: ExportOwner, query: JsonObject) => lists.get(list)?.sight(role, query);
  const find = async (id: string, owner: string) => (await rows.findJob(db, owner, id)) ?? noSuch('export', id);

  return {
    add: (list) => void lists.set(list.id, list),
    of: (owner) => rows.jobsOf(db, owner),
    async begin({ list, query, language }, by) {
      const sight = sightOf(list, by, query);
      if (sight === undefined) throw new GatewayError('forbidden');
      const now = new Date(clock.now());
      const job = newJob({ id: makeId('exp', now.getTime(), randomBytes), list, query, language, sight, by, now });
      await db.transaction(async (tx) => {
        await lockUntilCommit(tx, `exports of ${by.actor}`);
        if ((await rows.countUnfinished(tx, by.actor)) >= MAX_UNFINISHED)
          throw new GatewayError('conflict', { reason: listReasons.tooManyExports(MAX_UNFINISHED) });
        await rows.forgetOldest(tx, by.actor, KEPT_PER_OWNER - 1);
        await rows.insertJob(tx, job);
        await record(tx, by.actor, 'export.start', job.id, { list, query });
      });
      return job;
    },
    async stop(id, owner) {
      await find(id, owner);
      await rows.stopJob(db, owner, id, new Date(clock.now()));
      return find(id, owner);
    },
    async download(id, by) {
      const job = await find(id, by.actor);
      if (job.state !== 'done') throw new GatewayError('conflict', { reason: listReasons.notReady });
      const sight = sightOf(job.list, by, job.query);
      if (sight === undefined) throw new GatewayError('forbidden');
      if (sight !== job.sight) throw new GatewayError('conflict', { reason: listReasons.otherSight });
      await db.transaction((tx) => record(tx, by.actor, 'export.download', id, { list: job.list, rows: job.rows }));
      return { job, pieces: piecesOf(db, id) };
    },
    async work() {
      const now = clock.now();
      // Names one turn, not the process, because a turn that lost a job must not continue it beside another turn of the
      // same process.
      const worker = makeId('exw', now, randomBytes);
      const lease = { worker, now: new Date(now), until: new Date(now + LEASE_MS) };
      const job = await db.transaction(async (tx) => {
        const taken = await rows.takeJob(tx, { ...lease, atOnce: AT_ONCE, maxTries: MAX_TRIES });
        for (const givenUp of taken.givenUp) await tellEnd(tx, givenUp);
        return taken.job;
      });
      if (!job) return false;
      await runJob({ ...options, worker, bounds: { ...BOUNDS, ...options.bounds } }, lists.get(job.list), job);
      return true;
    },
    clean: () => rows.deleteJobsBefore(db, new Date(clock.now() - EXPORT_LIFETIME_MS)),
  };
}

interface NewJob extends Pick<rows.ExportJob, 'id' | 'list' | 'query' | 'language' | 'sight'> {
  by: ExportOwner;
  now: Date;
}

function newJob({ by, now, ...given }: NewJob): rows.ExportJob {
  return {
    ...given,
    owner: by.actor,
    state: 'waiting',
    rows: 0,
    bytes: 0,
    place: null,
    reachedAt: null,
    problem: null,
    tries: 0,
    createdAt: now,
    endedAt: null,
  };
}

interface Worker extends Omit<ExportsOptions, 'bounds'> {
  worker: string;
  bounds: ExportBounds;
}

/**
 * An error of the list ends the job with its code; an error of the database is tried again when the lease has run out.
 */
async function runJob(options: Worker, list: ExportableList | undefined, job: rows.ExportJob): Promise<void> {
  const { db, clock, log, worker, tellEnd } = options;
  const fail = (problem: string) =>
    db.transaction(async (tx) => {
      if (await rows.failJob(tx, job.id, worker, problem, new Date(clock.now())))
        await tellEnd(tx, { ...job, problem });
    });
  if (list === undefined) return fail('unknown_list');
  try {
    await makeSlices(options, list, job);
  } catch (error) {
    if (!(error instanceof GatewayError) && isUnreachable(error)) throw error;
    log.error({ err: error, job: job.id, list: job.list }, 'an export failed');
    await fail(error instanceof GatewayError ? error.code : 'internal_error');
  }
}

async function makeSlices(options: Worker, list: ExportableList, job: rows.ExportJob): Promise<void> {
  const { db, clock, worker, bounds, tellEnd } = options;
  const turnEnds = clock.monotonicMs() + TURN_MS;
  let { rows: total, bytes, place } = job;
  for (let first = total === 0 && bytes === 0; ; first = false) {
    const slice = await readSlice(list, job, place, bounds);
    const text = (first ? BYTE_ORDER_MARK + csvLine(list.columns) : '') + slice.lines.join('');
    const size = Buffer.byteLength(text);
    total += slice.lines.length;
    bytes += size;
    place = slice.next;
    const isTooMuch = total > bounds.maxRows || bytes > bounds.maxBytes;
    const now = clock.now();
    const isTurnOver = clock.monotonicMs() >= turnEnds;
    const kept = {
      id: job.id,
      worker,
      rows: slice.lines.length,
      bytes: size,
      place,
      reachedAt: slice.reachedMs === null ? null : new Date(slice.reachedMs),
      leasedUntil: new Date(isTurnOver ? now : now + LEASE_MS),
      chunks: isTooMuch ? [] : await chunksOf(text, bounds.chunkBytes),
      endedAt: place === null || isTooMuch ? new Date(now) : null,
      problem: isTooMuch ? 'too_large' : null,
    };
    // Its owner stopped it, or another worker has it.
    const ended = { ...job, rows: total, problem: kept.problem };
    const isKept = await db.transaction(async (tx) => {
      if (!(await rows.keepSlice(tx, kept))) return false;
      if (kept.endedAt !== null) await tellEnd(tx, ended);
      return true;
    });
    if (!isKept) return;
    if (kept.endedAt !== null || isTurnOver) return;
  }
}

async function readSlice(list: ExportableList, job: rows.ExportJob, from: string | null, bounds: ExportBounds) {
  const { sliceRows, pageRows } = bounds;
  const lines: string[] = [];
  let next = from;
  let reachedMs: number | null = null;
  do {
    const limit = Math.min(pageRows, sliceRows - lines.length);
    const page: ExportedPage = await list.read(job.query, { after: next, limit, sight: job.sight });
    for (const cells of page.lines) lines.push(csvLine(cells));
    ({ next } = page);
    ({ reachedMs } = page);
    // A page that is not full was cut by its time limit, so the place that it reached is stored before the walk goes
    // on.
    if (page.lines.length < limit) break;
  } while (next !== null && lines.length < sliceRows);
  return { lines, next, reachedMs };
}

/** Compressed in pieces that each fit into a row; a piece that does not fit is halved. */
async function chunksOf(text: string, maxBytes: number): Promise<Uint8Array[]> {
  if (text === '') return [];
  const packed = await zip(text);
  if (packed.length <= maxBytes || text.length < 2) return [packed];
  let middle = text.length >> 1;
  // Never cut between the halves of a surrogate pair.
  if (/[\uDC00-\uDFFF]/.test(text.charAt(middle))) middle++;
  return [...(await chunksOf(text.slice(0, middle), maxBytes)), ...(await chunksOf(text.slice(middle), maxBytes))];
}

async function* piecesOf(db: Database, id: string): AsyncIterable<Uint8Array> {
  for (let number = 1; ; number++) {
    const packed = await rows.readChunk(db, id, number);
    if (!packed) return;
    yield await unzip(packed);
  }
}
