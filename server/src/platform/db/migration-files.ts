/** The schema as it comes with this version: numbered SQL files, and which of them were released with which version. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseTrustedJson } from '../../core/json.ts';

const FILE_NAME = /^(\d{4})_[a-z0-9_-]{1,100}(?:\.online)?\.sql$/;
const RELEASED = 'released.json';

export interface Migration {
  number: number;
  name: string;
  sql: string;
  hash: string;
  /** Its indexes are built outside of a transaction, while others read and write (migrate-online.ts). */
  online?: boolean;
}

/** Version to file to SHA-256, oldest version first; `tools/release.mjs` writes it. Its entries never change again. */
export type Released = Readonly<Record<string, Readonly<Record<string, string>>>>;

export async function readMigrations(folder: string): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()) {
    const number = FILE_NAME.exec(name)?.[1];
    if (number === undefined) throw new Error(`migration ${name}: the name must be NNNN_words.sql`);
    if (migrations.at(-1)?.number === Number(number)) throw new Error(`migration ${name}: the number is taken twice`);
    // Hundreds of small files, before anybody waits for an answer: one by one a promise would take four times as long.
    const sql = readFileSync(join(folder, name), 'utf8');
    const hash = createHash('sha256').update(sql).digest('hex');
    migrations.push({ number: Number(number), name, sql, hash, online: name.endsWith('.online.sql') });
  }
  return migrations;
}

/** Empty where the folder has none, as folders of tests do. */
export async function readReleased(folder: string): Promise<Released> {
  const text = await readFile(join(folder, RELEASED), 'utf8').catch(() => '{}');
  return parseTrustedJson(text) as Released;
}

/** The number of the newest file: the schema that this version brings a database to. */
export async function ownSchemaNumber(folder = migrationsFolder()): Promise<number> {
  return (await readMigrations(folder)).at(-1)?.number ?? 0;
}

/** Beside `dist` when bundled; three folders above this one in the source. */
export function migrationsFolder(): string {
  const candidates = ['../migrations', '../../../migrations'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no migrations folder at ${candidates.join(' or ')}`);
  return found;
}
