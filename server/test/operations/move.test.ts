/** From the embedded database to PostgreSQL, as an operator does it: the same balances, keys and receipts afterwards. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { sealedUntil } from '../ledger/bookkeeping.ts';
import { openEmbeddedAt } from '../services/embedded-database.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';

describe.skipIf(postgresMissing())('moving to PostgreSQL', () => {
  let postgres: PostgresService;
  let gateway: TestGateway;
  let url: string;
  const said: string[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase();
    gateway = await startGateway();
  });
  afterAll(async () => {
    await gateway.stop();
    await postgres.remove();
  });

  const dargah = (args: string[]) =>
    run(args, {
      variables: { DARGAH_DATA_DIR: gateway.dataDir },
      connect: () => Promise.reject(new Error('this command needs no server')),
      print: (text) => said.push(text),
      complain: (text) => said.push(text),
      readInput: async () => '',
    });

  it('copies everything, proves the books on both sides, and goes on there', async () => {
    const chat = () => gateway.chat({ model: 'mock/chat', messages: [{ role: 'user', content: 'hi' }] });
    const first = await chat();
    const requestId = first.headers.get('x-svc-request-id');
    await gateway.stop({ keepData: true });
    await sealOldDay(gateway.dataDir);
    const code = await dargah(['move', '--to', url]);
    expect(said.join('\n')).toContain('both proofs are the same');
    expect(code).toBe(0);
    const balanceBefore = await balanceOf(url);
    expect(await lateRows(url)).toBe('0');
    const { dataDir } = gateway;
    gateway = await startGateway({ dataDir, env: { DATABASE_URL: url } });
    const receipt = await gateway.fetch(`/api/v1/requests/${requestId}`);
    expect(receipt.status).toBe(200);
    expect((await chat()).status).toBe(200);
    expect(balanceBefore).not.toBeNull();
  });

  it('refuses a target that is not empty, and changes nothing there', async () => {
    await gateway.stop({ keepData: true });
    const before = await balanceOf(url);
    expect(await dargah(['move', '--to', url])).not.toBe(0);
    expect(said.join('\n')).toContain('not empty');
    expect(await balanceOf(url)).toBe(before);
    gateway = await startGateway({ dataDir: gateway.dataDir, env: { DATABASE_URL: url } });
  });

  async function sealOldDay(dataDir: string): Promise<void> {
    const db = await openEmbeddedAt(dataDir);
    await db.query(`
      insert into ledger_transfer (id, debit, credit, amount, kind, created_at) values ('old', 'owner', 'opening', 1, 'adjustment', '2024-03-05');
      insert into ledger_account (id, posted, version) values ('owner', -1, 1), ('opening', 1, 1)
      on conflict (id) do update set posted = ledger_account.posted + excluded.posted`);
    await sealedUntil(db, Date.parse('2024-03-07T00:00:00Z'));
    await db.close();
  }

  /** The days of these rows were sealed in the old database; in the new one that makes none of them late. */
  async function lateRows(databaseUrl: string): Promise<string> {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const { rows } = await client.query('select count(*) as late from late_request');
    await client.end();
    return rows[0]?.late;
  }

  async function balanceOf(databaseUrl: string): Promise<string | null> {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const { rows } = await client.query(
      'select md5(string_agg(t::text, $1 order by t::text)) as sum from ledger_transfer t',
      [','],
    );
    await client.end();
    return rows[0]?.sum ?? null;
  }
});
