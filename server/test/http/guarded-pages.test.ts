/** What a caller without rights can ask for, and how often. */
import { chmod, stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeptPages } from '../../src/http/pages/kept-pages.ts';
import { html } from '../../src/http/pages/markup.ts';
import { answer } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { temporaryDataDirectory } from '../services/embedded-database.ts';

const FAILURES = 40;
const METRICS_TOKEN = 'a-token-for-the-metrics-alone';
/** The minute in which failures are counted does not end while a slow machine tries them. */
const clock = { now: () => Date.parse('2026-11-15T08:00:00Z'), monotonicMs: () => performance.now() };

let gateway: TestGateway;
beforeAll(async () => {
  const dataDir = await temporaryDataDirectory();
  await chmod(dataDir, 0o755);
  gateway = await startGateway({
    dataDir,
    clock,
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
  it('are rendered once for each view and each change of what they show', () => {
    const pages = new KeptPages();
    const catalog = {};
    let rendered = 0;
    const page = (name: string, source: object) =>
      pages.page(name, '', [source], () => {
        rendered++;
        return html`<p>${name}</p>`;
      });
    const first = page('en', catalog);
    expect(page('en', catalog)).toBe(first);
    expect(page('fa', catalog).pieces.join('')).toContain('<p>fa</p>');
    expect(rendered).toBe(2);
    expect(page('en', { ...catalog })).not.toBe(first);
    expect(rendered).toBe(3);
  });

  it('of endless questions do not fill the memory', () => {
    const pages = new KeptPages();
    let rendered = 0;
    const page = (view: string) =>
      pages.page('/catalog', view, [], () => {
        rendered++;
        return html`<p>${view}</p>`;
      });
    page('');
    page('first');
    for (let at = 0; at < 400; at++) page(`question ${at}`);
    page('question 399');
    expect(rendered).toBe(402);
    page('first');
    expect(rendered).toBe(403);
    // Nor do they push out the page that everybody sees.
    page('');
    expect(rendered).toBe(403);
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
