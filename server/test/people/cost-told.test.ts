/** What a team counts its cost by: tags, budgets over several keys, files, and events of settled requests. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGate } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { ask, exactAnswer, exactAnswerBehind, keyView, tomanFor } from '../money/fixed-price.ts';
import { openEmbeddedAt } from '../services/embedded-database.ts';
import { eventually } from '../services/eventually.ts';
import { Browser } from './client.ts';

interface MadeKey {
  id: string;
  key: string;
}
interface Breakdown {
  data: { value: string; requests: number; cost: string }[];
  total: { cost: string };
}
interface Budget {
  id: string;
  name: string;
  key_ids: string[];
  caps: Record<string, string | null>;
  spend: { period: string; spent: string; limit: string | null }[];
}

const PARALLEL = 48;
let gateway: TestGateway;
let isStopped = false;
let sara: Browser;
let first: MadeKey;
let second: MadeKey;
let told: MadeKey;
let accountId: string;

beforeAll(async () => {
  gateway = await startGateway();
  sara = new Browser(gateway);
  accountId = (await sara.signIn('09121700111', { name: 'Sara' })).body.accounts[0]?.id ?? '';
  await gateway.admin('POST', `/api/admin/accounts/${accountId}/transfers`, {
    id: 'cost-told',
    kind: 'top-up',
    amount: 1_000,
  });
  first = (await sara.post<MadeKey>('/keys', { name: 'first' })).body;
  second = (await sara.post<MadeKey>('/keys', { name: 'second' })).body;
  told = (await sara.post<MadeKey>('/keys', { name: 'told', rules: { settled_webhook: true } })).body;
}, 120_000);
afterAll(() => (isStopped ? rm(gateway.dataDir, { recursive: true, force: true }) : gateway?.stop()));
beforeEach(() => {
  gateway.vendor.reset();
  gateway.vendor.always(exactAnswer());
});

const tagged = (key: MadeKey, tags: unknown) => ask(gateway.origin, key.key, { svc: { tags } });

describe('tags', () => {
  it.each([
    ['a text', 'search', 'svc.tags'],
    ['six of them', ['a', 'b', 'c', 'd', 'e', 'f'], 'svc.tags'],
    ['six named ones', { a: '1', b: '1', c: '1', d: '1', e: '1', f: '1' }, 'svc.tags'],
    ['a number', ['a', 7], 'svc.tags.1'],
    ['a long one', ['x'.repeat(65)], 'svc.tags.0'],
    ['a control character', { team: 'a\u0007' }, 'svc.tags.team'],
    ['a name with a colon', { 'a:b': 'c' }, 'svc.tags.a:b'],
    ['a long pair', { ['n'.repeat(40)]: 'v'.repeat(40) }, `svc.tags.${'n'.repeat(40)}`],
  ])('%s is refused by its name', async (_, tags, param) => {
    const response = await tagged(first, tags);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: object }).error).toMatchObject({ code: 'invalid_request', param });
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('are on the receipt, in the log and in the usage, and a provider never sees them', async () => {
    const one = await tagged(first, { team: 'search', env: 'prod "quoted" \\ ✓' });
    const id = one.headers.get('x-svc-request-id') ?? '';
    expect(one.status).toBe(200);
    expect((await tagged(second, ['team:search', 'team:search'])).status).toBe(200);
    expect(JSON.stringify(gateway.vendor.requests)).not.toContain('team');
    expect((await ask(gateway.origin, second.key, { user: '{"tags":["team:search"]' })).status).toBe(200);
    const env = 'env:prod "quoted" \\ ✓';
    await eventually(async () => {
      const { data, total } = (await sara.get<Breakdown>('/usage/breakdown?by=tag')).body;
      expect(data.map(({ value, requests, cost }) => [value, requests, Number(cost)])).toEqual([
        ['team:search', 2, tomanFor(2)],
        [env, 1, tomanFor(1)],
      ]);
      expect(Number(total.cost)).toBe(tomanFor(3));
    });
    const receipt = await gateway.fetch(`/api/v1/requests/${id}`, { key: first.key });
    expect(((await receipt.json()) as { tags: string[] }).tags).toEqual([env, 'team:search']);
    const filter = `tag=${encodeURIComponent(env)}`;
    const { data } = (await sara.get<{ data: { id: string; tags: string[] }[] }>(`/requests?${filter}`)).body;
    expect(data.map(({ id: found, tags }) => [found, tags])).toEqual([[id, [env, 'team:search']]]);
    expect(Number((await sara.get<Breakdown>(`/usage/series?${filter}`)).body.total.cost)).toBe(tomanFor(1));
  });

  it('are in files, as CSV and in the columns of FOCUS, whose amounts are rials', async () => {
    const file = async (format: string) => {
      const response = await sara.send('GET', `/api/console/usage/export?format=${format}&tag=team:search`);
      expect(response.headers.get('content-type')).toContain('text/csv');
      return String(response.body)
        .replace('\uFEFF', '')
        .trim()
        .split('\r\n')
        .map((line) => cells(line));
    };
    const [head = [], ...plain] = await file('csv');
    expect(plain.map((row) => at(head, row, 'key_name', 'tags', 'requests', 'cost_toman'))).toEqual(
      expect.arrayContaining([
        ['first', 'env:prod "quoted" \\ ✓ team:search', '1', String(tomanFor(1))],
        ['second', 'team:search', '1', String(tomanFor(1))],
      ]),
    );
    const [columns = [], ...focus] = await file('focus');
    expect(focus).toHaveLength(2);
    for (const name of ['BilledCost', 'ListCost', 'EffectiveCost', 'ContractedCost'])
      for (const row of focus) expect(at(columns, row, name)).toEqual([String(tomanFor(1) * 10)]);
    const row = focus.find((one) => at(columns, one, 'SubAccountName')[0] === 'first') ?? [];
    expect(at(columns, row, 'BillingCurrency', 'ChargeCategory', 'ConsumedQuantity', 'PublisherName')).toEqual([
      'IRR',
      'Usage',
      '24',
      'mock',
    ]);
    expect(JSON.parse(at(columns, row, 'Tags')[0] ?? '')).toEqual({ team: 'search', env: 'prod "quoted" \\ ✓' });
  });
});

describe('caches', () => {
  interface Sums {
    total: { requests: number; cache_asked: number; cache_hits: number; cache_saved: string; cost: string };
  }

  it('are in the usage with their hit rate and what they saved, and are emptied by who may write keys', async () => {
    const { id, key } = (await sara.post<MadeKey>('/keys', { name: 'cached', rules: { cache_seconds: 60 } })).body;
    const said = async (user = 'u') => (await ask(gateway.origin, key, { user })).headers.get('x-svc-cache');
    expect(await said()).toBe('miss');
    expect(await said('{"responseCache":"hit","cacheSaved":1000000000}')).toBe('hit');
    expect((await sara.send('DELETE', '/api/console/response-cache')).body).toEqual({ done: true });
    expect(await said()).toBe('miss');
    expect(gateway.vendor.requests).toHaveLength(2);
    await eventually(async () => {
      const { total } = (await sara.get<Sums>(`/usage/series?key_id=${id}`)).body;
      expect(total).toMatchObject({ requests: 3, cache_asked: 3, cache_hits: 1 });
      expect(Number(total.cache_saved)).toBeCloseTo(tomanFor(1) * 0.9, 6);
      expect(Number(total.cost)).toBeCloseTo(tomanFor(1) * 2.1, 6);
    });
  });
});

describe('a budget over several keys', () => {
  let budget: Budget;
  const together = async (limit: string | undefined) =>
    eventually(async () => {
      const { caps } = await keyView(gateway.origin, first.key);
      expect(caps.find(({ scope }) => scope === 'budget')?.limit).toBe(limit);
    });

  it('is refused with a key of somebody else, by its field', async () => {
    const wrong = await sara.post<{ error: { param: string } }>('/budgets', { name: 'x', key_ids: ['key_other'] });
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'key_ids']);
    expect((await sara.post('/budgets', { name: 'x', key_ids: [], caps: { daily: -1 } })).status).toBe(400);
  });

  it(`lets ${PARALLEL} at once over two keys spend no more than it says`, async () => {
    const made = await sara.post<Budget>('/budgets', {
      name: 'research',
      key_ids: [first.id, second.id],
      caps: { daily: tomanFor(5) },
    });
    expect(made.status).toBe(201);
    budget = made.body;
    await together(String(tomanFor(5)));
    const gate = createGate();
    gateway.vendor.always(exactAnswerBehind(gate));
    let refused = 0;
    const all = Array.from({ length: PARALLEL }, async (_, i) => {
      const response = await ask(gateway.origin, (i % 2 === 0 ? first : second).key);
      if (response.status !== 200) refused++;
      return { status: response.status, body: (await response.json()) as { error?: { message: string } } };
    });
    await eventually(() => expect([refused, gateway.vendor.requests.length]).toEqual([PARALLEL - 5, 5]));
    gate.open();
    const no = (await Promise.all(all)).find(({ status }) => status === 402)?.body.error;
    expect(no).toMatchObject({ code: 'spend_cap_reached', cap: 'budget.daily', cap_budget: 'research' });
    expect(no?.message).toContain('shared budget “research”');
    await eventually(async () => {
      const { data } = (await sara.get<{ data: Budget[] }>('/budgets')).body;
      expect(data[0]?.spend[0]).toMatchObject({ period: 'daily', spent: String(tomanFor(5)), held: '0' });
    });
  });

  it('is asked by the tester too, and a key outside of it spends on', async () => {
    const test = { request: { model: 'mock/chat', messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 } };
    const { body } = await sara.post<{ rules: { rule: string; ok: boolean }[] }>(`/keys/${first.id}/test`, test);
    expect(JSON.stringify(body)).toContain('research');
    expect((await ask(gateway.origin, told.key)).status).toBe(200);
  });

  it('ends for a key that leaves it, and altogether when it is removed', async () => {
    await sara.send('PATCH', `/api/console/budgets/${budget.id}`, { key_ids: [second.id] });
    await together(undefined);
    expect((await ask(gateway.origin, first.key)).status).toBe(200);
    expect((await ask(gateway.origin, second.key)).status).toBe(402);
    expect((await sara.send('DELETE', `/api/console/budgets/${budget.id}`)).status).toBe(200);
    await eventually(async () => expect((await ask(gateway.origin, second.key)).status).toBe(200));
    expect((await sara.send('DELETE', `/api/console/budgets/${budget.id}`)).status).toBe(404);
  });
});

describe('an event of a settled request', () => {
  it('is put into the outbox for keys whose rule says so, and for no others', async () => {
    const target = await sara.post<{ id: string }>('/alerts/targets', { url: 'https://127.0.0.1:9/in' });
    expect(target.status).toBe(201);
    const one = await tagged(told, ['billing']);
    const quiet = (await tagged(first, ['billing'])).headers.get('x-svc-request-id');
    const id = one.headers.get('x-svc-request-id');
    isStopped = true;
    await gateway.stop({ keepData: true });
    const db = await openEmbeddedAt(gateway.dataDir);
    try {
      // What its key did before may have been posted since.
      const rows = await db.query<{ id: string; data: object }>(
        `select id, data from settled_event where data ->> 'request_id' = any($1)`,
        [[id, quiet]],
      );
      expect(rows.map((row) => row.id)).toEqual([`${id}.${target.body.id}`]);
      expect(rows[0]?.data).toMatchObject({ request_id: id, tags: ['billing'], cost: String(tomanFor(1)) });
    } finally {
      await db.close();
    }
  });
});

function at(head: readonly string[], row: readonly string[], ...names: string[]): (string | undefined)[] {
  return names.map((name) => row[head.indexOf(name)]);
}

/** A line of CSV; quotes are doubled within quoted cells. */
function cells(line: string): string[] {
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .slice(0, -1)
    .map(([, cell = '']) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}
