/** What providers state about data: shown, demanded by key and by request, and never left by failover. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Operator, operatorOf } from '../admin/operator.ts';
import { answer, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { customerReceiptOf, receiptOf, walletOf } from '../faults/receipts.ts';
import { hello, providerOf, routesConfig } from '../faults/routes-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

const POLICIES: Record<string, object | undefined> = {
  p1: undefined,
  p2: { training: false, retention_days: 30, region: 'de' },
  p3: { training: false, retention_days: 0, region: 'us' },
};

let gateway: TestGateway;
let operator: Operator;

beforeAll(async () => {
  const vendor = await startFakeVendor();
  const config = routesConfig(vendor) as {
    providers: { id: string }[];
    accounts: { keys: object[] }[];
  };
  for (const provider of config.providers) Object.assign(provider, { data_policy: POLICIES[provider.id] });
  config.accounts[0]?.keys.push({
    id: 'private',
    key: 'dg-test-private',
    rules: { data_policy: { no_training: true, regions: ['eu'] } },
  });
  gateway = await startGateway({ vendor, config });
  operator = await operatorOf(gateway);
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await gateway?.vendor.close();
});
beforeEach(() => gateway.vendor.reset());

const demand = (data: object, model = 'r/three', init: object = {}) =>
  hello(gateway, model, { svc: { routing: { data } } }, init);

describe('a data policy that is demanded', () => {
  it.each([
    ['nothing', {}, ['p1']],
    ['no training', { no_training: true }, ['p2']],
    ['thirty days', { max_retention_days: 30 }, ['p2']],
    ['nothing kept', { max_retention_days: 0 }, ['p3']],
    ['a country', { regions: ['us'] }, ['p3']],
    ['the European Union, in which Germany lies', { regions: ['eu'] }, ['p2']],
  ])('%s: only a route that states it is asked', async (_name, data, asked) => {
    const seen = await demand(data);
    expect(seen.status).toBe(200);
    expect(seen.asked).toEqual(asked);
  });

  it('is not left by failover: who does not state it is never asked', async () => {
    gateway.vendor.choose((request) => (providerOf(request) === 'p1' ? answer('yes') : faults.failWith(503)));
    const seen = await demand({ no_training: true });
    expect(seen.status).toBe(502);
    expect([...seen.asked].sort()).toEqual(['p2', 'p3']);
  });

  it('of the key holds for every request, beside that of the request', async () => {
    const key = { key: 'dg-test-private' };
    expect((await hello(gateway, 'r/three', {}, key)).asked).toEqual(['p2']);
    const both = await demand({ max_retention_days: 0 }, 'r/three', key);
    expect(both.status).toBe(403);
    expect(both.body.error).toMatchObject({ code: 'data_policy_unmet', param: 'svc.routing.data' });
    expect(both.asked).toEqual([]);
  });

  it('refuses before anything is charged or sent where no route states it', async () => {
    // What the tests above have spent is posted first: it is held until then.
    const before = await eventually(async () => {
      const wallet = await walletOf(gateway);
      expect(wallet.held).toBe('0');
      return wallet;
    });
    const seen = await demand({ no_training: true }, 'r/google');
    expect(seen.status).toBe(403);
    expect(seen.body.error).toMatchObject({ code: 'data_policy_unmet', param: 'svc.routing.data' });
    expect(seen.asked).toEqual([]);
    expect(await walletOf(gateway)).toEqual(before);
    const byKey = await hello(gateway, 'r/google', {}, { key: 'dg-test-private' });
    expect(byKey.body.error).toMatchObject({ code: 'data_policy_unmet', param: 'model' });
  });

  it('binds the fallback models that the request names', async () => {
    const seen = await hello(gateway, 'r/three', {
      svc: { routing: { data: { no_training: true }, models: ['r/google'] } },
    });
    expect(seen.body.error).toMatchObject({ code: 'data_policy_unmet' });
  });

  it.each([
    [{ no_training: 'yes' }, 'svc.routing.data.no_training'],
    [{ max_retention_days: -1 }, 'svc.routing.data.max_retention_days'],
    [{ regions: ['de', 'Europe'] }, 'svc.routing.data.regions.1'],
    [{ regions: ['DE'] }, 'svc.routing.data.regions.0'],
    [{ no_trainning: true }, 'svc.routing.data.no_trainning'],
    [7, 'svc.routing.data'],
  ])('%j is a 400 that names the field', async (data, param) => {
    const seen = await demand(data as object);
    expect(seen.status).toBe(400);
    expect(seen.body.error?.param).toBe(param);
  });

  it('is told on both receipts, with what whoever answered states; the official SDK asks for it', async () => {
    const client = new OpenAI({ apiKey: 'dg-test-main', baseURL: `${gateway.origin}/api/v1`, maxRetries: 0 });
    const body = {
      model: 'r/three',
      messages: [{ role: 'user' as const, content: 'hello' }],
      svc: { routing: { data: { no_training: true, regions: ['eu'] } } },
    };
    const { response } = await client.chat.completions.create(body).withResponse();
    const id = response.headers.get('x-svc-request-id') ?? '';
    const told = {
      data: {
        demanded: [{ no_training: true, max_retention_days: null, regions: ['eu'] }],
        stated: { training: false, retention_days: 30, region: 'de' },
      },
    };
    expect(await customerReceiptOf(gateway, id)).toMatchObject({ routing: told });
    const { plan, ...receipt } = await receiptOf(gateway, id);
    expect(receipt).toMatchObject({ routing: told });
    expect(plan).toContain('not tried: p1:up-p1, does not state the demanded data policy (training)');
  });

  it('is a rule of dry runs, behind the price', async () => {
    const response = await gateway.chat({
      model: 'r/google',
      messages: [{ role: 'user', content: 'hello' }],
      svc: { dry_run: true, routing: { data: { no_training: true } } },
    });
    const { rules } = (await response.json()) as { rules: { rule: string; verdict: string; code: string | null }[] };
    expect(rules.find(({ rule }) => rule === 'price')?.verdict).toBe('passes');
    expect(rules.find(({ rule }) => rule === 'data')).toMatchObject({ verdict: 'refuses', code: 'data_policy_unmet' });
  });
});

describe('a data policy that is stated', () => {
  const listed = async (key?: string) => {
    const response = await gateway.fetch('/api/v1/models', key ? { key } : {});
    const { data } = (await response.json()) as { data: { id: string; data_policies: object[] }[] };
    return data;
  };

  it('is in the list of models, each policy once and without who has it', async () => {
    const three = (await listed()).find(({ id }) => id === 'r/three');
    expect(three?.data_policies).toEqual([
      { training: null, retention_days: null, region: null },
      POLICIES['p2'],
      POLICIES['p3'],
    ]);
  });

  it('hides the models that a rule of the key refuses', async () => {
    const ids = (await listed('dg-test-private')).map(({ id }) => id);
    expect(ids).toContain('r/three');
    expect(ids).not.toContain('r/google');
  });

  it('filters the public catalog and stands on the page of its model', async () => {
    const page = async (path: string) => (await fetch(`${gateway.origin}${path}`)).text();
    const filtered = await page('/en/catalog?data=not_kept');
    expect(filtered).toContain('r/three');
    expect(filtered).not.toContain('r/google');
    expect(await page('/en/models/r/three')).toContain('no training, kept up to 30 days, Germany');
    expect(await page('/fa/models/r/three')).toContain('بدون آموزش، نگهداری تا ۳۰ روز، آلمان');
  });

  it('is said by the operator for their own providers, and taken back', async () => {
    await operator.post('/providers', {
      id: 'relay',
      vendor: 'openai',
      base_url: 'https://relay.example/v1',
      api_key: 'sk-relay-0000',
    });
    const read = () => operator.get<{ data_policy: object; data_policy_source: string }>('/providers/relay');
    // A relay that speaks OpenAI's protocol is not OpenAI.
    expect((await read()).data_policy).toEqual({ training: null, retention_days: null, region: null });
    await operator.patch('/providers/relay', { data_policy: { training: false, region: 'nl' } });
    expect(await read()).toMatchObject({
      data_policy: { training: false, retention_days: null, region: 'nl' },
      data_policy_source: 'operator',
    });
    await operator.patch('/providers/relay', { base_url: 'https://api.openai.com/v1' });
    expect(await read()).toMatchObject({ data_policy: { region: 'nl' } });
    await operator.patch('/providers/relay', { data_policy: null });
    expect(await read()).toMatchObject({
      data_policy: { training: false, retention_days: 30, region: null },
      data_policy_source: 'vendor',
    });
    expect(await operator.refused('PATCH', '/providers/relay', { data_policy: { region: 'Europe' } })).toEqual([
      400,
      'data_policy.region',
    ]);
    expect(await operator.refused('PATCH', '/providers/p1', { data_policy: { training: false } })).toEqual([409, null]);
  });
});
