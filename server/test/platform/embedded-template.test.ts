/** A first start copies a database that the build made. The copy must be what the first start would have made itself. */
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { copyTemplate, stampCopy, templateName } from '../../src/platform/db/embedded-template.ts';
import { migrate } from '../../src/platform/db/index.ts';
import { migrationsFolder } from '../../src/platform/db/migration-files.ts';
import { openEmbeddedAt, temporaryDataDirectory } from '../services/embedded-database.ts';

const folder = await mkdtemp(join(tmpdir(), 'dargah-template-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

test('without a template of this state nothing is copied', async () => {
  expect(await copyTemplate(join(folder, 'none', 'database'), join(folder, 'none'))).toBe(false);
});

test('a copy is migrated, and what migrations note of their moment is of today', async () => {
  const made = await temporaryDataDirectory();
  const old = await openEmbeddedAt(made);
  await old.query(`update schema_migration set applied_at = '2001-02-03'`);
  await old.query(`update cost_clock set waste_from = '2001-02-03'`);
  await old.query(`update chart_cut_over set done_at = '2001-02-03'`);
  await old.close();
  await mkdir(join(folder, 'built'));
  await rename(join(made, 'database'), join(folder, 'built', await templateName()));
  await rm(made, { recursive: true });

  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  expect(await copyTemplate(join(dataDir, 'database'), join(folder, 'built'))).toBe(true);
  const db = await openEmbeddedAt(dataDir);
  try {
    await stampCopy(db);
    expect(await migrate(db)).toEqual([]);
    const [moments] = await db.query(
      `select (select min(applied_at) > now() - interval '1 hour' from schema_migration) as applied,
         (select waste_from = home_day(now()) from cost_clock) as waste,
         (select done_at > now() - interval '1 hour' from chart_cut_over) as chart`,
    );
    expect(moments).toEqual({ applied: true, waste: true, chart: true });
  } finally {
    await db.close();
  }
});

test('no other migration writes its moment into a row', async () => {
  const writes: string[] = [];
  for (const name of (await readdir(migrationsFolder())).filter((file) => file.endsWith('.sql')).sort()) {
    const lines = (await readFile(join(migrationsFolder(), name), 'utf8')).split('\n');
    for (const line of lines)
      if (
        /\b(now\(\)|clock_timestamp|current_(date|time|timestamp)|gen_random|random\(\))/.test(
          line.replaceAll('default now()', ''),
        )
      )
        writes.push(name);
  }
  // Whoever adds one adds its statement to OF_THE_MOMENT in embedded-template.ts.
  expect(writes).toEqual(['0131_documents.sql', '0152_costs.sql']);
});
