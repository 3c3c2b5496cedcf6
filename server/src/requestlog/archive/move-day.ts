/**
 * Moves days of the log into the archive. A day is copied in slices, counted and hashed on both sides, and its
 * partition is dropped in the transaction that marks the day as moved. A process that is killed before that leaves the
 * day in the log; the next one copies it again, or finds it copied and only drops it. So a request is never lost and
 * never listed twice: readers ask the archive for moved days alone.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Queryable } from '../../platform/db/index.ts';
import { recordOf } from '../record-text.ts';
import { type ArchivedRow, archivedRow, LineDigest, type LogArchive } from './log-archive.ts';
import * as sql from './move-day-sql.ts';

export interface ArchiveMoverOptions {
  db: Database;
  archive: LogArchive;
  /** Identifies this process among those that maintain the log. */
  owner: string;
  /** Rows per read and per write: few parts are better for the archive, little memory is better for us. */
  sliceRows?: number;
  writeRows?: number;
}

/** How partitions.ts drops a day. */
export interface DayMover {
  /** True once the archive has the day exactly as the log has it. */
  copied(day: string, part: string): Promise<boolean>;
  /**
   * Called in the transaction that drops the partition, while nobody can write to it. False when it changed since; it
   * is then copied again.
   */
  noteMoved(tx: Queryable, day: string, part: string): Promise<boolean>;
}

const SLICE_ROWS = 500;
const WRITE_ROWS = 5_000;
const LEASE_S = 300;

export function createArchiveMover(options: ArchiveMoverOptions): DayMover {
  const { db, archive, owner } = options;
  return {
    async copied(day, part) {
      const claim = await sql.CLAIM_DAY.first(db, [day, owner, LEASE_S]);
      if (!claim) return false;
      if (claim.state === 'copied') return true;
      // What a killed process has left of the day is deleted first.
      await archive.drop(day);
      const { copied, lines } = await copy(options, day, part);
      if (copied === undefined) return false;
      const held = await archive.digest(day);
      if (held.rows !== lines.rows || held.digest !== lines.digest)
        throw new Error(
          `the archive has ${held.rows} rows (${held.digest}) of ${day} instead of ${lines.rows} (${lines.digest})`,
        );
      const noted = await sql.NOTE_COPIED.rows(db, [day, owner, copied.rows, copied.fingerprint]);
      return noted.length > 0;
    },
    async noteMoved(tx, day, part) {
      const noted = await sql.COPIED_DAY.first(tx, [day, 'copied']);
      const now = await sql.PART_FINGERPRINT(part).only(tx);
      if (!noted || noted.rows !== now.rows || noted.fingerprint !== now.fingerprint) {
        await sql.COPY_AGAIN.run(tx, [day]);
        return false;
      }
      await sql.NOTE_MOVED.rows(tx, [day]);
      return true;
    },
  };
}

async function copy(
  { db, archive, owner, sliceRows = SLICE_ROWS, writeRows = WRITE_ROWS }: ArchiveMoverOptions,
  day: string,
  part: string,
): Promise<{ copied: sql.Copied | undefined; lines: { rows: number; digest: string } }> {
  const lines = new LineDigest();
  let fingerprint = 0n;
  let waiting: ArchivedRow[] = [];
  for (let after = ''; ; ) {
    const slice = await db.report((tx) => sql.READ_SLICE(part, sliceRows).rows(tx, [after]), { for: 'job' });
    for (const row of slice) {
      const archived = archivedRow(recordOf(row));
      lines.add(archived.line);
      fingerprint += BigInt(row.fingerprint);
      waiting.push(archived);
      after = archived.id;
    }
    const isLast = slice.length < sliceRows;
    if (waiting.length >= writeRows || (isLast && waiting.length > 0)) {
      // A replica that lost the lease must not write any more, because another has begun again.
      const kept = await sql.KEEP_LEASE.rows(db, [day, owner, LEASE_S]);
      if (kept.length === 0) return { copied: undefined, lines: lines.told };
      await archive.write(day, waiting);
      waiting = [];
    }
    if (isLast) break;
    await nextTurn();
  }
  return { copied: { rows: lines.told.rows, fingerprint: String(fingerprint) }, lines: lines.told };
}

/** Deletes archived days that are older than the operator wants to keep. */
export async function forgetArchivedDays(
  { db, archive }: { db: Database; archive: LogArchive },
  beforeDay: string,
): Promise<void> {
  for (const { day } of await sql.DAYS_BEFORE.rows(db, [beforeDay])) {
    await archive.drop(day);
    await sql.FORGET_DAY.run(db, [day]);
  }
}
