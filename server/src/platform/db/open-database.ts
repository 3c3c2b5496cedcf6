/** Which database: a PostgreSQL server where its address is given, else the embedded one. Same SQL, same driver, same port. */
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';
import { openEmbedded } from './embedded.ts';
import { openPostgres } from './postgres.ts';

export interface OpenDatabaseOptions {
  databaseUrl: string | undefined;
  dataDir: string;
  log: Log;
  clock: Clock;
  /** Lines for the person who waits for a first start. */
  progress?: (line: string) => void;
}

export function openDatabase({ databaseUrl, dataDir, log, clock, progress }: OpenDatabaseOptions): Promise<Database> {
  if (databaseUrl) return openPostgres({ databaseUrl, log, clock });
  return openEmbedded({ dataDir, log, ...(progress ? { progress } : {}) });
}
