/** The archive of the request log, where one is configured. */
import type { ProcessEnvironment } from '../config/index.ts';
import type { Clock } from '../core/clock.ts';
import { type Database, openDatabase } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import {
  type ArchivedDays,
  createArchivedDays,
  createDatabaseArchive,
  type LogArchive,
  openClickHouseArchive,
} from '../requestlog/index.ts';

interface ArchiveTools {
  db: Database;
  log: Log;
  clock: Clock;
  registerSecret(secret: string): void;
}

export interface ConfiguredArchive {
  archive: LogArchive;
  days: ArchivedDays;
}

export async function openLogArchive(
  { logArchiveUrl: url }: ProcessEnvironment,
  { db, log, clock, registerSecret }: ArchiveTools,
): Promise<ConfiguredArchive | undefined> {
  if (url === undefined) return undefined;
  const { protocol, password } = new URL(url);
  if (password !== '') registerSecret(decodeURIComponent(password));
  const archive = protocol.startsWith('http')
    ? await openClickHouseArchive(url)
    : createDatabaseArchive(() => openDatabase({ databaseUrl: url, dataDir: '', log, clock }));
  return { archive, days: createArchivedDays({ db, archive, clock, log }) };
}
