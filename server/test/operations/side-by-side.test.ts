/** Several gateways on one PostgreSQL while something changes under them: the master key, then the tables. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { migrate, openDatabase } from '../../src/platform/db/index.ts';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { recordedLog } from '../services/silent-log.ts';
import { asOperator, OPERATOR_ENV, startLoad } from './load.ts';

/** What a next version may do to the tables while this one runs: add, and nothing else. */
const NEXT_VERSION = `
  alter table request_log add column next_note text;
  alter table account add column next_choice boolean not null default false;
  create table next_thing (id text primary key, account_id text not null references account (id));
  create index next_by_account on next_thing (account_id);
`;

describe.skipIf(postgresMissing())('gateways side by side', () => {
  let service: PostgresService;
  let vendor: FakeVendor;
  let place: string;
  let url: string;
  const running: TestGateway[] = [];

  const start = async (name: string) => {
    const gateway = await startGateway({
      vendor,
      env: { DATABASE_URL: url, ...OPERATOR_ENV },
      dataDir: join(place, name),
    });
    running.push(gateway);
    return gateway;
  };
  /** Its key is stored sealed; a model of the same name goes to it. */
  const makeProvider = async (gateway: TestGateway, id: string, api_key: string) => {
    const base_url = vendor.baseUrls['openai-chat'];
    const made = [
      await asOperator(gateway, '/api/admin/providers', 'POST', { id, protocol: 'openai-chat', base_url, api_key }),
      await asOperator(gateway, '/api/admin/models', 'POST', {
        id: `mock/${id}`,
        routes: [{ provider: id, model: 'up-model' }],
        price: { input: 1_000, output: 1_000 },
      }),
    ];
    for (const reply of made) expect(reply.status, await reply.text()).toBeLessThan(300);
  };
  beforeAll(async () => {
    [service, vendor] = await Promise.all([startPostgres(), startFakeVendor()]);
    place = await mkdtemp(join(tmpdir(), 'dargah-side-'));
    url = await service.createDatabase();
    await start('one');
    await start('two');
  }, 180_000);
  afterAll(async () => {
    for (const gateway of running) await gateway.stop({ keepData: true });
    await Promise.all([vendor.close(), service.remove()]);
    await rm(place, { recursive: true, force: true });
  });

  it('take a new master key while customers ask, and none of them stops answering', async () => {
    const [first, second] = running as [TestGateway, TestGateway];
    const load = startLoad(() => running);
    await load.more(6);
    const rotated = await asOperator(first, '/api/admin/secrets/rotate', 'POST');
    expect([rotated.status, await rotated.json()]).toMatchObject([200, { source: 'database', unreadable: 0 }]);
    await load.more(10);
    await load.stop();
    expect(load.others).toEqual([]);
    // What one seals from now on, the other opens.
    await makeProvider(first, 'after', 'up-after-the-rotation');
    const asked = async () => {
      await (await second.chat({ model: 'mock/after', messages: [{ role: 'user', content: 'hi' }] })).text();
      return vendor.requests.at(-1)?.headers['authorization'];
    };
    await expect.poll(asked, { timeout: 60_000 }).toBe('Bearer up-after-the-rotation');
    const again = await asOperator(second, '/api/admin/secrets/rotate', 'POST');
    expect(await again.json()).toMatchObject({ unreadable: 0 });
  }, 240_000);

  it('go on when the next version has changed the tables, and may be started again on them', async () => {
    const [first, second] = running as [TestGateway, TestGateway];
    const folder = join(place, 'migrations');
    await cp(fileURLToPath(new URL('../../migrations', import.meta.url)), folder, { recursive: true });
    await writeFile(join(folder, '9000_next_version.sql'), NEXT_VERSION);
    const load = startLoad(() => running);
    await load.more(6);
    const db = await openDatabase({ databaseUrl: url, dataDir: '', log: recordedLog(), clock: systemClock });
    expect(await migrate(db, folder)).toEqual(['9000_next_version.sql']);
    await load.more(10);
    // One process after the other: the way back is the same version on the newer tables.
    running.splice(running.indexOf(first), 1);
    await load.more(6);
    await first.stop({ keepData: true });
    await start('one');
    await load.more(10);
    await load.stop();
    expect(load.others).toEqual([]);
    expect(await wholeProof((method, path) => asOperator(second, path, method))).toMatchObject({ ok: true });
    const rows = async () => {
      const query = 'select count(*) as rows from request_log where id = any($1::text[])';
      const [found] = await db.query<{ rows: string }>(query, [load.answered]);
      return Number(found?.rows);
    };
    await expect.poll(rows, { timeout: 60_000 }).toBe(load.answered.length);
    await db.close();
  }, 300_000);
});
