/**
 * One process per data directory. Two could open the embedded database at once without an error and destroy it.
 * The lock names its owner by pid and start time, since a restarted container often gets the same pid again.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseNotUsable } from './failures.ts';

const MAX_TAKEOVERS = 3;
/** A server that is being stopped first finishes its requests; whoever restarts it need not wait for that himself. */
const TIMEOUT_MS = 10_000;
const LOOK_AGAIN_MS = 100;
const NEW_FILE = { flag: 'wx', mode: 0o600 };
/**
 * Locks that this process holds. If its own pid stands in any other lock file, that file is from a dead process with the same
 * pid.
 */
const heldHere = new Set<string>();

class DataDirectoryInUse extends DatabaseNotUsable {
  readonly pid: number;
  constructor(path: string, pid: number) {
    super(`the data directory is in use by process ${pid} (lock file ${path}); stop it, or set DARGAH_DATA_DIR`);
    this.pid = pid;
  }
}

export interface LockOptions {
  /** How long to wait for an owner that is alive. */
  timeoutMs?: number | undefined;
  /** Called once when there is somebody to wait for. */
  onWait?: ((pid: number) => void) | undefined;
}

/** Returns the function that releases the lock. */
export async function lockDataDirectory(path: string, options: LockOptions = {}): Promise<() => Promise<void>> {
  if (heldHere.has(path)) throw new DataDirectoryInUse(path, process.pid);
  heldHere.add(path);
  try {
    await takeWhenFree(path, options);
  } catch (error) {
    heldHere.delete(path);
    throw error;
  }
  return async () => {
    await rm(path, { force: true });
    heldHere.delete(path);
  };
}

/**
 * For a start that has not read its code yet: takes the lock where there is none, and leaves every other case to `lockDataDirectory`,
 * which finds this process's own lock and keeps it.
 */
export function lockFreeDirectory(path: string): boolean {
  try {
    writeFileSync(path, ownContent(), NEW_FILE);
    return true;
  } catch {
    return false;
  }
}

function ownContent(): string {
  return `${process.pid} ${startOf(process.pid)}\n`;
}

async function takeWhenFree(path: string, { timeoutMs = TIMEOUT_MS, onWait }: LockOptions): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    try {
      return await takeFile(path);
    } catch (error) {
      if (!(error instanceof DataDirectoryInUse) || waitedMs >= timeoutMs) throw error;
      if (waitedMs === 0) onWait?.(error.pid);
    }
    await sleep(LOOK_AGAIN_MS);
  }
}

async function takeFile(path: string): Promise<void> {
  const own = ownContent();
  for (let attempt = 0; attempt <= MAX_TAKEOVERS; attempt++) {
    try {
      await writeFile(path, own, NEW_FILE);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if ((await readFile(path, 'utf8').catch(() => undefined)) === own) return;
    await removeStale(path);
  }
  throw new Error(`cannot take the lock file ${path}`);
}

async function removeStale(path: string): Promise<void> {
  const seen = await readFile(path, 'utf8').catch(() => undefined);
  if (seen === undefined) return;
  const pid = Number.parseInt(seen, 10);
  if (isHeld(pid, seen)) throw new DataDirectoryInUse(path, pid);
  // Moved aside instead of deleted: another process may have taken it over since we looked.
  const aside = `${path}.${process.pid}`;
  await rename(path, aside).catch(() => {});
  const moved = await readFile(aside, 'utf8').catch(() => undefined);
  if (moved !== undefined && moved !== seen) {
    await rename(aside, path);
    throw new DataDirectoryInUse(path, Number.parseInt(moved, 10));
  }
  await rm(aside, { force: true });
}

function isHeld(pid: number, content: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process is alive under another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const { state, start } = lookUp(pid);
  // A zombie has ended and closed its files; only its parent has not asked how it ended.
  if (state === 'Z' || state === 'X') return false;
  return (content.trim().split(' ')[1] ?? '') === start;
}

function startOf(pid: number): string {
  return lookUp(pid).start;
}

/** State and start time (in clock ticks since boot), where the system tells them; elsewhere empty, and the pid alone must do. */
function lookUp(pid: number): { state: string; start: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name, in parentheses, may hold spaces. After it: the state first, the start time as the 20th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', start: fields[19] ?? '' };
  } catch {
    return { state: '', start: '' };
  }
}
