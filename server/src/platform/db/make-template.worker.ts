/**
 * Makes the template of embedded databases (embedded-template.ts), as a step of the build:
 *   node make-template.worker.js <folder>
 * Nothing happens when the folder has the one that this build needs.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../core/clock.ts';
import type { Log } from '../log.ts';
import { templateName } from './embedded-template.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open-database.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('no folder was named');
const name = await templateName();
if (!existsSync(join(folder, name))) await make(folder, name);

async function make(into: string, called: string): Promise<void> {
  mkdirSync(into, { recursive: true });
  const draft = mkdtempSync(join(into, 'draft-'));
  try {
    const say = (fields: object, message: string) => console.error(message, fields);
    const log: Log = { debug: () => undefined, info: () => undefined, warn: say, error: say };
    const db = await openDatabase({ databaseUrl: undefined, dataDir: draft, log, clock: systemClock });
    await migrate(db);
    await db.close();
    letAllRead(join(draft, 'database'));
    for (const former of readdirSync(into))
      if (former.startsWith('migrated-')) rmSync(join(into, former), { recursive: true });
    renameSync(join(draft, 'database'), join(into, called));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** It holds nobody's data, and the server of a release runs as another user than the one that built it. */
function letAllRead(path: string): void {
  chmodSync(path, 0o755);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) letAllRead(join(path, entry.name));
    else chmodSync(join(path, entry.name), 0o644);
  }
}
