/** The data directory holds the journal, the keys' digests and the master key: it is its owner's alone. */
import { chmod, mkdir, stat } from 'node:fs/promises';
import type { Log } from './log.ts';

const OWNER_ONLY = 0o700;
const OTHERS = 0o077;

/** Takes from others what they may do there, and says so; one that cannot be changed is only named. */
export async function keepToOwner(directory: string, log: Pick<Log, 'warn'>): Promise<void> {
  // Windows has no permission bits, so nothing is checked there.
  if (process.platform === 'win32') return;
  await mkdir(directory, { recursive: true, mode: OWNER_ONLY });
  const { mode } = await stat(directory);
  if ((mode & OTHERS) === 0) return;
  const context = { directory, mode: (mode & 0o777).toString(8) };
  try {
    await chmod(directory, mode & OWNER_ONLY);
    log.warn(context, 'others could read the data directory; it is its owner’s alone from now on');
  } catch (error) {
    log.warn({ ...context, err: error }, 'others can read the data directory, and it could not be closed to them');
  }
}
