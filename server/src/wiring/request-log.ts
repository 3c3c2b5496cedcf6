/** The request log, wired: its days, who reads them, and the archive that takes the old ones where one is configured. */
import { DAY_MS, HOUR_MS } from '@dargah/core/time-spans.ts';
import type { ProcessEnvironment, Settings } from '../config/index.ts';
import type { FileJournal } from '../ledger/index.ts';
import {
  createArchiveMover,
  createRequestLog,
  createUsageLines,
  createUsageReports,
  dropOldPartitions,
  forgetArchivedDays,
  preparePartitions,
  withArchive,
} from '../requestlog/index.ts';
import type { Foundation } from './foundation.ts';

/** A new day's partition is there before the day; what is older than the operator keeps leaves it whole, not row by row. */
export function keepLog(
  { db, clock, background, archive: configured }: Foundation,
  environment: ProcessEnvironment,
  limits: Settings['limits'],
  replicaId: string,
): void {
  const archive = configured?.archive;
  const mover = archive && createArchiveMover({ db, archive, owner: replicaId });
  const tend = async () => {
    await preparePartitions(db, clock.now());
    // An archive that cannot be reached keeps no request waiting; the log grows until it can.
    await archive?.prepare();
    await dropOldPartitions(db, clock.now(), limits.logRetentionDays, mover);
    if (archive) await forgetArchivedDays({ db, archive }, utcDay(clock.now() - environment.logArchiveDays * DAY_MS));
  };
  background.detach(tend(), 'request log partitions');
  background.every(HOUR_MS, 'request log partitions', tend);
}

export function openRequestLog({ db, archive }: Foundation, journal: FileJournal) {
  const days = archive?.days;
  const log = createRequestLog({ db, recent: journal });
  return {
    requestLog: days ? withArchive(log, days) : log,
    usage: { reports: createUsageReports(db, days), lines: createUsageLines(db, days) },
  };
}

function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
