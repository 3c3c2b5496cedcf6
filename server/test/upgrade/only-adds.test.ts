/** The tables of a released version and those of today compared: nothing is gone, narrowed or demanded. Embedded, no service. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, migrate } from '../../src/platform/db/index.ts';
import { migrationsFolder, readReleased } from '../../src/platform/db/migration-files.ts';
import { emptyDataDirectory, openEmbeddedAt } from '../services/embedded-database.ts';
import { type Schema, schemaOf } from './schema-of.ts';

const keyOf = ({ table, name }: { table: string; name: string }) => `${table}.${name}`;

/** What forbids rows now and did not before: new tables aside, only a check may change, and only to allow more words. */
function narrowed(before: Schema, after: Schema): string[] {
  const tables = new Set(before.columns.map(({ table }) => table));
  const added = new Set(after.columns.map(keyOf));
  for (const column of before.columns) added.delete(keyOf(column));
  const known = new Map(before.constraints.map((one) => [keyOf(one), one]));
  return after.constraints.flatMap((one) => {
    const old = known.get(keyOf(one));
    if (!tables.has(one.table) || old?.text === one.text) return [];
    const isOfNewColumn = [...added].some(
      (column) => column.startsWith(`${one.table}.`) && one.text.includes(column.slice(one.table.length + 1)),
    );
    if (!old) return isOfNewColumn || one.kind === 'n' ? [] : [`${keyOf(one)}: ${one.text}`];
    const words = (text: string) => new Set(text.match(/'[^']*'/g) ?? []);
    const [had, has] = [words(old.text), words(one.text)];
    const isLooser = one.kind === 'c' && [...had].every((word) => has.has(word)) && has.size > had.size;
    return isLooser ? [] : [`${keyOf(one)}: ${old.text} became ${one.text}`];
  });
}

describe.each(Object.keys(await readReleased(migrationsFolder())))('since %s', (version) => {
  let dataDir: string;
  let folder: string;
  let db: Database;
  let before: Schema;
  let after: Schema;

  beforeAll(async () => {
    dataDir = await emptyDataDirectory();
    folder = await mkdtemp(join(tmpdir(), 'dargah-released-'));
    db = await openEmbeddedAt(dataDir);
    const released = await readReleased(migrationsFolder());
    const versions = Object.keys(released);
    const names = versions.slice(0, versions.indexOf(version) + 1).flatMap((one) => Object.keys(released[one] ?? {}));
    for (const name of names) await cp(join(migrationsFolder(), name), join(folder, name));
    expect(await migrate(db, folder)).toEqual((await readdir(folder)).sort());
    before = await schemaOf(db);
    await migrate(db);
    after = await schemaOf(db);
  }, 120_000);
  afterAll(async () => {
    await db?.close();
    for (const path of [dataDir, folder]) await rm(path, { recursive: true, force: true });
  });

  it('every column is there with its type and default, and none became required', () => {
    const now = new Map(after.columns.map((column) => [keyOf(column), column]));
    for (const column of before.columns) {
      const { required, ...rest } = column;
      expect(now.get(keyOf(column))).toMatchObject(rest);
      if (!required) expect([keyOf(column), now.get(keyOf(column))?.required]).toEqual([keyOf(column), false]);
    }
  });

  it('new columns of old tables may be left out', () => {
    const tables = new Set(before.columns.map(({ table }) => table));
    const had = new Set(before.columns.map(keyOf));
    const demanded = after.columns.filter(
      (column) =>
        tables.has(column.table) &&
        !had.has(keyOf(column)) &&
        column.required &&
        column.given === null &&
        !column.generated,
    );
    expect(demanded.map(keyOf)).toEqual([]);
  });

  it('every index is there as it was, and no rule forbids what was allowed', () => {
    const now = new Map(after.indexes.map((index) => [keyOf(index), index.text]));
    for (const index of before.indexes)
      expect([keyOf(index), now.get(keyOf(index))]).toEqual([keyOf(index), index.text]);
    expect(narrowed(before, after)).toEqual([]);
  });
});

describe('the comparison', () => {
  const column = { table: 't', name: 'kind', type: 'text', required: true, given: null, generated: false };
  const schema = (text: string): Schema => ({
    columns: [column],
    constraints: [{ table: 't', name: 't_kind_check', kind: 'c', text }],
    indexes: [],
  });

  it('takes a check that allows more, and none that allows less or another thing', () => {
    const old = schema(`CHECK (kind = ANY (ARRAY['a', 'b']))`);
    expect(narrowed(old, schema(`CHECK (kind = ANY (ARRAY['a', 'b', 'c']))`))).toEqual([]);
    expect(narrowed(old, schema(`CHECK (kind = ANY (ARRAY['a', 'c', 'd']))`))).toHaveLength(1);
    expect(narrowed(old, schema(`CHECK (kind = ANY (ARRAY['a']))`))).toHaveLength(1);
    expect(narrowed({ ...old, constraints: [] }, old)).toHaveLength(1);
  });
});
