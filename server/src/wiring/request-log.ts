/** The request log: its days, and the archive that takes the old ones where one is configured. */
import { DAY_MS, HOUR_MS } from '@dargah/core/time-spans.ts';
import type { ProcessEnvironment, Settings } from '../config/index.ts';
import type { FileJournal } from '../ledger/index.ts';
import { openDatabase } from '../platform/db/index.ts';
import {
  createArchiveMover,
  createDatabaseArchive,
  createRequestLog,
  dropOldPartitions,
  forgetArchivedDays,
  type LogArchive,
  openClickHouseArchive,
  preparePartitions,
  type RequestLog,
  withArchive,
} from '../requestlog/index.ts';
import type { Foundation } from './foundation.ts';

/** A new day's partition is there before the day; what is older than the operator keeps leaves it whole, not row by row. */
export async function keepLog(
  base: Foundation,
  environment: ProcessEnvironment,
  limits: Settings['limits'],
  replicaId: string,
): Promise<LogArchive | undefined> {
  const { db, clock, background } = base;
  const archive = await openArchive(base, environment);
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
  return archive;
}

interface LogSources {
  journal: FileJournal;
  archive: LogArchive | undefined;
}

export function openRequestLog({ db }: Foundation, { journal, archive }: LogSources): RequestLog {
  const log = createRequestLog({ db, recent: journal });
  return archive ? withArchive(log, { db, archive }) : log;
}

async function openArchive(
  { log, clock, registerSecret }: Foundation,
  { logArchiveUrl: url }: ProcessEnvironment,
): Promise<LogArchive | undefined> {
  if (url === undefined) return undefined;
  const { protocol, password } = new URL(url);
  if (password !== '') registerSecret(decodeURIComponent(password));
  if (protocol.startsWith('http')) return openClickHouseArchive(url);
  return createDatabaseArchive(await openDatabase({ databaseUrl: url, dataDir: '', log, clock }));
}

function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
