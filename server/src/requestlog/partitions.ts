/**
 * The request log has one partition per UTC day, made ahead of time; forgetting a day is dropping its table, which
 * costs the same for ten rows and ten million. Rows without a partition are in the default one and are moved out of it
 * when theirs is made.
 */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { type Database, isLockTimeout, type Queryable } from '../platform/db/index.ts';
import type { DayMover } from './archive/move-day.ts';
import {
  ATTACH_PARTITION,
  CARRY_SPEND,
  CREATE_PARTITION,
  DROP_PARTITION,
  FILL_PARTITION,
  IS_SEALED,
  LIMIT_LOCK_WAIT,
  LOCK_PARTITION,
  LOCK_PARTITIONS,
  LOG_PARTITIONS,
  MOVE_HORIZON,
  PACKED_COLUMNS,
  TABLE_EXISTS,
} from './partition-sql.ts';

const NAME = /^request_log_(\d{4})(\d{2})(\d{2})$/;

/** Makes the partitions of today and the days ahead that are missing; returns their names. */
export async function preparePartitions(db: Database, nowMs: number, daysAhead = 3): Promise<string[]> {
  const made: string[] = [];
  const today = Math.floor(nowMs / DAY_MS);
  // Usually all partitions exist, and reading their names takes no lock.
  const present = new Set((await LOG_PARTITIONS.rows(db)).map(({ name }) => name));
  for (let day = today; day <= today + daysAhead; day++) {
    if (present.has(partitionName(day))) continue;
    const isMade = await unlessBusy(
      (work) => db.transaction(work),
      (tx) => makePartition(tx, day),
    );
    if (isMade) made.push(partitionName(day));
  }
  return made;
}

/**
 * Changing the tables needs a moment in which nobody reads or writes the log. Waiting for that moment behind a long
 * report would make everyone else wait behind us, so the change gives up; the next run, an hour later, is early enough.
 */
async function unlessBusy(
  transaction: (work: (tx: Queryable) => Promise<boolean>) => Promise<boolean>,
  work: (tx: Queryable) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await transaction(async (tx) => {
      await LIMIT_LOCK_WAIT.run(tx);
      return work(tx);
    });
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

async function makePartition(tx: Queryable, day: number): Promise<boolean> {
  const name = partitionName(day);
  // Replicas start together; the second one waits and then finds it done, or leaves it to the first.
  await LOCK_PARTITIONS.only(tx);
  if (await exists(tx, name)) return false;
  const span = { name, from: isoDay(day), to: isoDay(day + 1) };
  const parent = await PACKED_COLUMNS.only(tx);
  await CREATE_PARTITION(name, parent.columns).run(tx);
  await FILL_PARTITION(span, parent.names).run(tx);
  await ATTACH_PARTITION(span).run(tx);
  return true;
}

/**
 * Forgets requests older than `keepDays` days, once every day that they touch is sealed: what was sold is then kept in
 * sums. Charges stay in the ledger for ever; what the dropped rows say about spend counters is carried over first, so
 * that the proof still adds up. With an archive, a day is first copied there, and stays in the log when that fails.
 */
export async function dropOldPartitions(
  db: Database,
  nowMs: number,
  keepDays: number,
  mover?: DayMover,
): Promise<string[]> {
  const keptFrom = isoDay(Math.floor(nowMs / DAY_MS) - keepDays);
  const partitions = await LOG_PARTITIONS.rows(db);
  const dropped: string[] = [];
  for (const { name } of partitions) {
    const parts = NAME.exec(name);
    if (!parts || `${parts[1]}-${parts[2]}-${parts[3]} 00:00:00+00` >= keptFrom) continue;
    const day = `${parts[1]}-${parts[2]}-${parts[3]}`;
    if (mover && !((await isSealed(db, name)) && (await mover.copied(day, name)))) continue;
    const moved = mover && ((tx: Queryable) => mover.noteMoved(tx, day, name));
    // All rows of the day are read while it is locked. For a large day that takes longer than a statement of a request
    // may.
    const asReport = (work: (tx: Queryable) => Promise<boolean>) => db.report(work, { for: 'job' });
    if (await unlessBusy(asReport, (tx) => dropPartition(tx, name, keptFrom, moved))) dropped.push(name);
  }
  return dropped;
}

async function dropPartition(
  tx: Queryable,
  name: string,
  keptFrom: string,
  moved: ((tx: Queryable) => Promise<boolean>) | undefined,
): Promise<boolean> {
  // Another replica may be dropping it, or may have dropped it since the list was read.
  await LOCK_PARTITIONS.only(tx);
  if (!(await exists(tx, name)) || !(await isSealed(tx, name))) return false;
  // Readers may go on while its charges are added up; only the drop itself shuts them out.
  await LOCK_PARTITION(name).run(tx);
  if (moved && !(await moved(tx))) return false;
  await CARRY_SPEND(name).run(tx);
  await MOVE_HORIZON.run(tx, [keptFrom]);
  await DROP_PARTITION(name).run(tx);
  return true;
}

/**
 * True when every row of the partition is in a sealed day, its refunds too, and no proof is adding them up. A refund
 * that no seal holds yet is subtracted from the counters of its request when its day is sealed, and must find that
 * request.
 */
async function isSealed(tx: Queryable, name: string): Promise<boolean> {
  const [year, month, day] = NAME.exec(name)?.slice(1) ?? [];
  const row = await IS_SEALED(name).only(tx, [`${year}-${month}-${day} 00:00:00+00`]);
  return row.sealed;
}

async function exists(tx: Queryable, name: string): Promise<boolean> {
  return (await TABLE_EXISTS.only(tx, [name])).exists;
}

function partitionName(day: number): string {
  return `request_log_${isoDay(day).slice(0, 10).replaceAll('-', '')}`;
}

/** Midnight UTC, written out so that the session's time zone cannot shift it. */
function isoDay(day: number): string {
  return `${new Date(day * DAY_MS).toISOString().slice(0, 10)} 00:00:00+00`;
}
