/**
 * A migrated embedded database that is made once, by the build, and copied where a first start needs one: creating and migrating
 * takes seconds, copying does not. Its name holds the engine's version and a digest of the migrations, so a template of another
 * state is never found. Where there is none, or it cannot be read, a first start makes its database as if there never was one.
 */
import { createHash } from 'node:crypto';
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseTrustedJson } from '../../core/json.ts';
import type { Database } from './database.ts';
import { migrationsFolder, readMigrations } from './migration-files.ts';

/** What migrations wrote of the moment at which they ran; in a copy that moment is now. */
const OF_THE_MOMENT = [
  'update schema_migration set applied_at = now()',
  'update cost_clock set waste_from = home_day(now())',
  'update chart_cut_over set done_at = now() where done_at is not null',
];

/** Beside the bundle; when run from source there is none. */
const FOLDER = import.meta.url.endsWith('.ts')
  ? undefined
  : fileURLToPath(new URL('./embedded-template', import.meta.url));

export async function templateName(migrations = migrationsFolder()): Promise<string> {
  const hash = createHash('sha256');
  for (const migration of await readMigrations(migrations)) hash.update(`${migration.name} ${migration.hash}\n`);
  return `migrated-${await engineVersion()}-${hash.digest('hex').slice(0, 16)}`;
}

/** False when there is no template of this state. */
export async function copyTemplate(databaseDir: string, folder = FOLDER): Promise<boolean> {
  const template = folder && join(folder, await templateName());
  if (!template || !existsSync(template)) return false;
  copyFiles(template, databaseDir);
  return true;
}

export async function stampCopy(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    for (const statement of OF_THE_MOMENT) await tx.query(statement);
  });
}

/** A tenth of what `fs.cp` costs for these 1,300 files. */
export function copyFiles(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFiles(source, target);
    else copyFileSync(source, target, constants.COPYFILE_FICLONE);
  }
}

async function engineVersion(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const manifest = parseTrustedJson(await readFile(join(dirname(entry), '../package.json'), 'utf8'));
  return String((manifest as { version?: string } | undefined)?.version);
}
