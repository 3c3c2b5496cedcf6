/** What a caller without rights can ask for, and how often. */
import { chmod, stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CatalogSnapshot } from '../../src/catalog/index.ts';
import { CatalogPages, ReferencePages } from '../../src/http/pages/rendered.ts';
import { answer } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { temporaryDataDirectory } from '../services/embedded-database.ts';

const FAILURES = 40;
const METRICS_TOKEN = 'a-token-for-the-metrics-alone';

let gateway: TestGateway;
beforeAll(async () => {
  const dataDir = await temporaryDataDirectory();
  await chmod(dataDir, 0o755);
  gateway = await startGateway({
    dataDir,
    env: { DARGAH_METRICS_TOKEN: METRICS_TOKEN },
    config: {
      settings: { auth_failures_per_minute: FAILURES, max_event_loop_lag_ms: 600_000 },
      accounts: [
        {
          id: 'family',
          balance: 1_000,
          keys: [
            { id: 'main', key: 'dg-test-main' },
            { id: 'elder', key: 'dg-test-elder' },
            { id: 'sibling', key: 'dg-test-sibling', rules: { models: ['mock/claude'] } },
          ],
        },
      ],
    },
  });
}, 120_000);
afterAll(() => gateway?.stop());

describe('the data directory', () => {
  it('is closed to others, with a warning', async () => {
    expect((await stat(gateway.dataDir)).mode & 0o777).toBe(0o700);
    expect(JSON.stringify(gateway.log.lines)).toContain('others could read the data directory');
  });
});

describe('/metrics', () => {
  it('is closed to this very machine too, and opens to its token and to the operator', async () => {
    const read = (token?: string) =>
      fetch(`${gateway.origin}/metrics`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
    expect((await read()).status).toBe(401);
    expect((await read('wrong')).status).toBe(401);
    const given = await read(METRICS_TOKEN);
    expect(given.status).toBe(200);
    expect(await given.text()).toContain('dargah_');
    expect((await read(gateway.operatorToken)).status).toBe(200);
    const elsewhere = await fetch(`${gateway.origin}/api/admin/providers`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    });
    expect(elsewhere.status).toBe(401);
  });
});

describe('an Idempotency-Key', () => {
  it('gives its answer only to keys that may use the model', async () => {
    gateway.vendor.next(answer('once'));
    const ask = (key: string) =>
      gateway.chat(
        { model: 'mock/chat', messages: [{ role: 'user', content: 'hi' }] },
        { key, headers: { 'idempotency-key': 'shared-by-siblings' } },
      );
    const first = await ask('dg-test-elder');
    expect(first.status).toBe(200);
    await first.text();
    const again = await ask('dg-test-elder');
    expect(again.headers.get('x-svc-idempotent-replay')).toBe('true');
    const refused = await ask('dg-test-sibling');
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: { code: 'model_not_allowed' } });
  });
});

describe('pages', () => {
  const request = (query = '', origin = 'http://a') =>
    ({ language: 'en', query: new URLSearchParams(query), origin }) as const;

  it('of the catalog are rendered once for each catalog and question', () => {
    const pages = new CatalogPages();
    const catalog: Pick<CatalogSnapshot, 'models'> = { models: new Map() };
    const first = pages.page(request(), catalog);
    expect(pages.page(request('unknown=1'), catalog)).toBe(first);
    expect(pages.page(request('q=claude'), catalog)).not.toBe(first);
    expect(pages.page(request(), { ...catalog })).not.toBe(first);
  });

  it('of the reference are rendered once, with the address of each reader', () => {
    const pages = new ReferencePages();
    let asked = 0;
    const endpoints = () => {
      asked++;
      return [];
    };
    pages.page(request('', 'http://first'), endpoints);
    pages.page(request('x=2', 'http://<second>'), endpoints);
    expect(asked).toBe(1);
  });
});

describe('guessing', () => {
  it('the operator token is limited like guessing keys, and before the database is asked', async () => {
    const guess = (path: string, secret: string) =>
      fetch(gateway.origin + path, { headers: { authorization: `Bearer ${secret}` } });
    const statuses = new Set<number>();
    for (let at = 0; at <= FAILURES; at++) statuses.add((await guess('/api/admin/providers', `wrong-${at}`)).status);
    expect([...statuses]).toEqual([401, 429]);
    const key = await guess('/api/v1/models', 'dg-never-seen-before-key');
    expect(key.status).toBe(429);
    // Who is known is not affected.
    expect((await gateway.fetch('/api/v1/models', { key: 'dg-test-elder' })).status).toBe(200);
  });
});
