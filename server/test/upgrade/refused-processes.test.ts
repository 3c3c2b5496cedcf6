/** Databases that this version does not work on, as operators meet them: one line, exit code 1, an end, and nothing changed. */
import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/core/version.ts';
import { ENGINE_MAJOR } from '../../src/platform/db/database-at-hand.ts';
import { openEmbeddedAt } from '../services/embedded-database.ts';
import { type Home, makeHome } from '../start/server-process.ts';

const TOOL = fileURLToPath(new URL('../../bin/dargah.mjs', import.meta.url));
const BEFORE_0_1_0 =
  'This database was made by a state before 0.1.0 that was never released. Nothing was changed. Go on with that state, or start with an empty database.\n';
const [MAJOR = 0, MINOR = 0] = VERSION.split('.').map(Number);
const ahead = (minors: number) => `${MAJOR}.${MINOR + minors}.0`;
/** What 0002_ledger.sql was before 0.1.0, in a state that was never released. */
const UNRELEASED_0002 = 'd40b415a79202727e690318454fb7fbb70d7f974dc80b7f7a270b9a695a5b2fe';

interface Ran {
  code: number | null;
  out: string;
  err: string;
}

function dargah(home: Home, ...args: string[]): Promise<Ran> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [TOOL, ...args], {
    cwd: home.folder,
    env: { PATH, HOME, DARGAH_DATA_DIR: home.dataDir, DARGAH_DISCOVERY: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ran: Ran = { code: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ran.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ran.err += text;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...ran, code })));
}

/** What the server said, without the note that a first start in this checkout builds it. */
async function started(home: Home): Promise<{ code: number | null; output: string }> {
  const { code, output } = await home.run({});
  return { code, output: output.replace(/^building the server .* done in .*\n/, '') };
}

/** Every table with its columns, and what was applied when. */
async function stateOf(dataDir: string): Promise<unknown> {
  const db = await openEmbeddedAt(dataDir);
  const columns = await db.query(
    `select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2`,
  );
  const applied = await db.query(
    'select to_jsonb(schema_migration)::text as row from schema_migration order by number',
  );
  await db.close();
  return { columns, applied, files: (await readdir(dataDir)).sort() };
}

async function change(dataDir: string, ...statements: string[]): Promise<void> {
  const db = await openEmbeddedAt(dataDir);
  for (const statement of statements) await db.query(statement);
  await db.close();
}

describe('a database of a state before 0.1.0', () => {
  let home: Home;
  let before: unknown;
  beforeAll(async () => {
    home = await makeHome();
    // Half of the tables, so that there would be something to apply.
    await change(
      home.dataDir,
      'delete from schema_migration where number > 60',
      `update schema_migration set hash = '${UNRELEASED_0002}' where number = 2`,
    );
    before = await stateOf(home.dataDir);
  });
  afterAll(() => home.remove());

  it('is not started on', async () => {
    expect(await started(home)).toEqual({ code: 1, output: BEFORE_0_1_0 });
    expect(await stateOf(home.dataDir)).toEqual(before);
  });

  it.each([['audit'], ['migrate'], ['move', '--to', 'postgres://nobody@127.0.0.1:1/none']])(
    'is refused by `dargah %s`, which then ends',
    async (...args) => {
      expect(await dargah(home, ...args)).toEqual({ code: 1, out: '', err: BEFORE_0_1_0 });
      expect(await stateOf(home.dataDir)).toEqual(before);
    },
  );
});

describe('a database of later versions', () => {
  let home: Home;
  beforeAll(async () => {
    home = await makeHome();
  });
  afterAll(() => home.remove());

  it('is worked on when it is one minor above, and refused with both versions when it is two', async () => {
    const later = (version: string) =>
      `insert into schema_migration (number, name, hash, version) values (9990, '9990_later.sql', 'x', '${version}')
       on conflict (number) do update set version = excluded.version`;
    await change(home.dataDir, later(ahead(1)));
    const audited = await dargah(home, 'audit');
    expect(audited, audited.err).toMatchObject({ code: 0 });
    await change(home.dataDir, later(ahead(2)));
    const refused = await dargah(home, 'audit');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^[^\n]+\n$/);
    expect(refused.err).toContain(ahead(2));
    expect(refused.err).toContain(`this is ${VERSION}`);
    expect(await started(home)).toEqual({ code: 1, output: refused.err });
  });
});

describe('an embedded database of another engine', () => {
  let home: Home;
  beforeAll(async () => {
    home = await makeHome();
  });
  afterAll(() => home.remove());

  it('is refused with the way out, and the engine of this version is the one that is named', async () => {
    const file = join(home.dataDir, 'database', 'PG_VERSION');
    expect((await readFile(file, 'utf8')).trim()).toBe(ENGINE_MAJOR);
    await writeFile(file, '12\n');
    const { code, output } = await started(home);
    expect(code).toBe(1);
    expect(output).toMatch(/^[^\n]*engine 12[^\n]*Nothing was changed\.[^\n]*dargah move --to[^\n]*\n$/);
    expect(await dargah(home, 'audit')).toEqual({ code: 1, out: '', err: output });
  });
});
