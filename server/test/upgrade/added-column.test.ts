/**
 * A later version with another column in the request log: today's sources with one entry more, built and started on what a killed
 * process of a released version left. Its charges are posted, and none ends beside the books. Processes, no service.
 */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program as Built, buildProgram } from '../harness/replica.ts';
import { openEmbeddedAt } from '../services/embedded-database.ts';
import { eventually } from '../services/eventually.ts';
import { proofAt } from './proof-at.ts';
import { expectedOf, type Installation, migrationsWith, RELEASED, type Running, restore, start } from './stage.ts';
import { Operator } from './tools.ts';

const MIGRATION = {
  '9990_added_columns.sql': `alter table request_log add column added_text text, add column added_number integer not null default 0;`,
};
/** Before other columns, in both parts of the line: where every value behind them would be read as its neighbour's. */
const ADDED = [
  [
    "  provider: { ...forOperator(shared('provider'",
    "  addedText: { ...shared('added_text', OPTIONAL_TEXT), initial: null as string | null },\n",
  ],
  [
    "  cost: { ...forCustomer(own('cost'",
    "  addedNumber: { ...own('added_number', INTEGER), initial: 5 as number },\n",
  ],
] as const;

const withColumns: Plugin = {
  name: 'with-columns',
  setup(build) {
    build.onLoad({ filter: /requestlog\/record-columns\.ts$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const [before, entry] of ADDED) {
        if (!contents.includes(before)) throw new Error(`record-columns.ts has no ${before}`);
        contents = contents.replace(before, entry + before);
      }
      return { contents, loader: 'ts' };
    });
  },
};

describe.each(RELEASED)('from %s', (version) => {
  const expected = expectedOf(version);
  let later: Built;
  let migrations: { folder: string; remove(): Promise<void> };
  let at: Installation;
  let server: Running | undefined;

  beforeAll(async () => {
    migrations = await migrationsWith(MIGRATION);
    later = await buildProgram({ plugins: [withColumns], migrations: migrations.folder });
    at = await restore(version, undefined);
  }, 180_000);
  afterAll(async () => {
    await server?.kill();
    await at?.remove();
    await later?.remove();
    await migrations?.remove();
  });

  it('posts the charges of the killed process, with initial values in the new columns', async () => {
    server = await start({ program: later.path, at, shiftMs: expected.made_at + 60_000 - Date.now() });
    const operator = new Operator(server.origin);
    for (const [id, { cost }] of Object.entries(expected.charges))
      expect(await operator.get(`/api/admin/requests/${id}`)).toMatchObject({ cost, state: 'completed', status: 200 });
    expect(await operator.get('/api/admin/charges/set-aside')).toMatchObject({ data: [] });
    const { origin } = server;
    await eventually(async () => expect(await proofAt(origin)).toMatchObject({ ok: true }));
    await server.stop();
    const db = await openEmbeddedAt(at.dataDir);
    const rows = await db.query(
      'select provider, status, added_text, added_number from request_log where id = any($1)',
      [Object.keys(expected.charges)],
    );
    await db.close();
    expect(rows).toHaveLength(Object.keys(expected.charges).length);
    for (const row of rows) expect(row).toEqual({ provider: 'maker', status: 200, added_text: null, added_number: 5 });
  }, 180_000);
});
