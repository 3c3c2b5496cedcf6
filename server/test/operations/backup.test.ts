/** Backups as docs/operations describes them: taken while customers ask, restored elsewhere, with nothing charged lost. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { temporaryDataDirectory } from '../services/embedded-database.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { asOperator, OPERATOR_ENV, startLoad } from './load.ts';

const execute = promisify(execFile);
const TIMEOUT_MS = 120_000;
const QUESTION = { model: 'mock/chat', messages: [{ role: 'user', content: 'hi' }] };
let vendor: FakeVendor;
let place: string;

beforeAll(async () => {
  vendor = await startFakeVendor();
  place = await mkdtemp(join(tmpdir(), 'dargah-backup-'));
});
afterAll(async () => {
  await vendor.close();
  await rm(place, { recursive: true, force: true });
});

/** What the books of this gateway charged for each of these requests; null for one that they do not know. */
async function charges(gateway: TestGateway, ids: readonly string[]): Promise<(string | null)[]> {
  const found: (string | null)[] = [];
  for (const id of ids) {
    const reply = await asOperator(gateway, `/api/admin/requests/${id}`);
    const { cost } = (await reply.json()) as { cost?: string };
    found.push(reply.status === 200 && cost !== undefined ? cost : null);
  }
  return found;
}

/** Charges reach the books a moment after the answer. */
async function postedCharges(gateway: TestGateway, ids: readonly string[]): Promise<(string | null)[]> {
  await expect.poll(() => charges(gateway, ids), { timeout: TIMEOUT_MS, interval: 250 }).not.toContain(null);
  return charges(gateway, ids);
}

const audit = async (gateway: TestGateway) => (await (await asOperator(gateway, '/api/admin/audit')).json()) as object;

describe.skipIf(postgresMissing())('a backup of PostgreSQL', () => {
  let service: PostgresService;
  let url: string;
  let busy: TestGateway;
  const start = (databaseUrl: string, name: string) =>
    startGateway({ vendor, env: { DATABASE_URL: databaseUrl, ...OPERATOR_ENV }, dataDir: join(place, name) });
  const dump = async (name: string) => {
    const file = join(place, name);
    await execute('pg_dump', ['--format=custom', `--file=${file}`, url]);
    return file;
  };
  const restore = async (file: string) => {
    const target = await service.createDatabase();
    await execute('pg_restore', [`--dbname=${target}`, file]);
    return target;
  };

  beforeAll(async () => {
    service = await startPostgres();
    url = await service.createDatabase();
    busy = await start(url, 'busy');
  }, 2 * TIMEOUT_MS);
  afterAll(async () => {
    await busy?.stop({ keepData: true });
    await service?.remove();
  });

  it(
    'taken under load has every charge that was posted before it, and its books balance',
    async () => {
      const load = startLoad(() => [busy]);
      await load.more(10);
      const known = [...load.answered];
      const before = await postedCharges(busy, known);
      const [file] = await Promise.all([dump('under-load.dump'), load.more(10)]);
      await load.stop();
      expect(load.others).toEqual([]);
      const restored = await start(await restore(file), 'elsewhere');
      try {
        expect(await audit(restored)).toMatchObject({ ok: true });
        expect(await charges(restored, known)).toEqual(before);
        const chat = await restored.chat(QUESTION);
        expect(chat.status).toBe(200);
      } finally {
        await restored.stop();
      }
    },
    3 * TIMEOUT_MS,
  );

  it(
    'together with a copy of the journal has also what was charged after it, when the database is lost',
    async () => {
      const first = await busy.chat(QUESTION);
      await first.text();
      await postedCharges(busy, [first.headers.get('x-svc-request-id') ?? '']);
      const file = await dump('nightly.dump');
      await service.stop('immediate');
      const late: string[] = [];
      for (let call = 0; call < 5; call++) {
        const reply = await busy.chat(QUESTION);
        await reply.text();
        expect(reply.status).toBe(200);
        late.push(reply.headers.get('x-svc-request-id') ?? '');
      }
      await cp(join(place, 'busy', 'journal'), join(place, 'saved', 'journal'), { recursive: true });
      await service.start();
      const restored = await start(await restore(file), 'saved');
      try {
        expect(await postedCharges(restored, late)).toEqual(await postedCharges(busy, late));
        expect(await audit(restored)).toMatchObject({ ok: true });
      } finally {
        await restored.stop();
      }
    },
    3 * TIMEOUT_MS,
  );
});

describe('a backup of the embedded database', () => {
  it(
    'of a server stopped under load has every charge',
    async () => {
      const home = await temporaryDataDirectory();
      const busy = await startGateway({ vendor, env: OPERATOR_ENV, dataDir: home });
      const load = startLoad(() => [busy]);
      await load.more(15);
      const stopping = busy.stop({ keepData: true });
      // Whoever asks while it stops is refused, or finds nobody.
      await load.stop().catch(() => undefined);
      await stopping;
      const elsewhere = join(place, 'embedded-elsewhere');
      await cp(home, elsewhere, { recursive: true });
      await rm(home, { recursive: true, force: true });
      const restored = await startGateway({ vendor, env: OPERATOR_ENV, dataDir: elsewhere });
      try {
        expect(await audit(restored)).toMatchObject({ ok: true });
        const found = await charges(restored, load.answered);
        expect(found).not.toContain(null);
        expect(found).not.toContain('0');
      } finally {
        await restored.stop();
      }
    },
    3 * TIMEOUT_MS,
  );
});
