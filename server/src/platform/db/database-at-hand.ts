/** The files of an embedded database, and the one that a start finds before it has read its code. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { lockDataDirectory, lockFreeDirectory } from './data-lock.ts';

/** In the data directory. */
export const DATABASE = 'database';
export const LOCK = 'database.lock';

/** The major version of the engine that the package brings. It reads only files that its own major version wrote. */
export const ENGINE_MAJOR = '18';

/** The major version of the engine that wrote the files. */
export function engineOf(databaseDir: string): string | undefined {
  try {
    return readFileSync(join(databaseDir, 'PG_VERSION'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/**
 * The folder of a database that can be opened at once, in a data directory that is locked from now on. Undefined where there is
 * something to make, to refuse or to wait for: the start itself does that, and says so.
 */
export function lockDatabaseAtHand(dataDir: string): string | undefined {
  const folder = resolve(dataDir);
  const databaseDir = join(folder, DATABASE);
  return engineOf(databaseDir) === ENGINE_MAJOR && lockFreeDirectory(join(folder, LOCK)) ? databaseDir : undefined;
}

export async function unlockDatabaseAtHand(databaseDir: string): Promise<void> {
  const release = await lockDataDirectory(join(dirname(databaseDir), LOCK));
  await release();
}
