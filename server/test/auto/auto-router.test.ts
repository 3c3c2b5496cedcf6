/** `model: "auto"`: what it chooses and why, what it holds and charges, and that it stays within every rule. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Operator, operatorOf } from '../admin/operator.ts';
import { answer, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { customerReceiptOf, micro } from '../faults/receipts.ts';
import { hello, providerOf, routesConfig } from '../faults/routes-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

const EXACT = { text: 'hello', usage: { input: 8, output: 16 } };
const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
const PICTURE = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }];

let gateway: TestGateway;
let operator: Operator;

beforeAll(async () => {
  const vendor = await startFakeVendor();
  const config = routesConfig(vendor) as { models: object[]; providers: object[]; accounts: { keys: object[] }[] };
  const model = (id: string, provider: string, price: number, capabilities: string[], context: number) => ({
    id,
    routes: [{ provider, model: `up-${provider}` }],
    price: { input: price, output: price * 4 },
    capabilities,
    context,
  });
  for (const provider of config.providers as { id: string }[])
    if (provider.id === 'p3') Object.assign(provider, { data_policy: { training: false } });
  config.models.push(
    model('a/best', 'p3', 150_000, ['streaming', 'tools', 'vision'], 200_000),
    model('a/mid', 'p2', 15_000, ['streaming', 'tools'], 128_000),
    model('a/cheap', 'p1', 1_500, ['streaming'], 500),
  );
  config.accounts[0]?.keys.push(
    { id: 'frugal', key: 'dg-test-frugal', rules: { max_price: { output: 60_000 } } },
    { id: 'one', key: 'dg-test-one', rules: { models: ['a/mid'], default_model: 'a/mid' } },
  );
  gateway = await startGateway({ vendor, config });
  operator = await operatorOf(gateway);
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await gateway?.vendor.close();
});
beforeEach(() => {
  gateway.vendor.reset();
  gateway.vendor.always(answer(EXACT));
});

const auto = (more: object = {}, init: object = {}) => hello(gateway, 'auto', { max_tokens: 16, ...more }, init);
const listed = async (key: string) => {
  const response = await gateway.fetch('/api/v1/models', { key });
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
};

interface Told {
  held: string;
  cost: string;
  model: string;
  routing: {
    auto: { prefer: string; candidates: { model: string; reason: string; text: { fa: string; en: string } }[] };
  };
}
async function reasonsOf(requestId: string): Promise<Record<string, string>> {
  const { routing } = (await customerReceiptOf(gateway, requestId)) as unknown as Told;
  return Object.fromEntries(routing.auto.candidates.map(({ model, reason }) => [model, reason]));
}

describe('auto', () => {
  it('is no model until the operator says among which it chooses, and then stands in the list', async () => {
    const before = await auto();
    expect([before.status, before.body.error?.code, before.body.error?.param]).toEqual([
      404,
      'model_not_found',
      'model',
    ]);
    expect(await listed('dg-test-main')).not.toContain('auto');
    expect(await operator.refused('PATCH', '/settings', { auto_models: ['a/mid', 'a/none'] })).toEqual([
      404,
      'auto_models.1',
    ]);
    await operator.patch('/settings', { auto_models: ['a/best', 'a/mid', 'a/cheap'] });
    await eventually(async () => expect(await listed('dg-test-main')).toContain('auto'));
    expect(await listed('dg-test-limited')).not.toContain('auto');
    const one = await gateway.fetch('/api/v1/models/auto');
    expect(await one.json()).toMatchObject({ id: 'auto', kind: 'chat', pricing: { input: 150_000 } });
  });

  it('chooses the cheapest that fits, names who answered, and is told on the receipt in both languages; by the official SDK', async () => {
    const client = new OpenAI({ apiKey: 'dg-test-main', baseURL: gateway.baseUrl, maxRetries: 0 });
    const { data, response } = await client.chat.completions
      .create({ model: 'auto', max_tokens: 16, messages: [{ role: 'user', content: 'hello' }] })
      .withResponse();
    expect(data.model).toBe('a/cheap');
    const id = response.headers.get('x-svc-request-id') ?? '';
    const receipt = (await customerReceiptOf(gateway, id)) as unknown as Told;
    expect(receipt.routing.auto).toEqual({
      prefer: 'price',
      candidates: [
        { model: 'a/cheap', reason: 'chosen', text: { fa: expect.stringMatching(/انتخاب/), en: 'chosen' } },
        { model: 'a/mid', reason: 'next', text: expect.anything() },
        { model: 'a/best', reason: 'next', text: expect.anything() },
      ],
    });
    // Held for the dearest that it may fall over to, charged by who answered.
    expect(micro(receipt.held)).toBe(8n * 150_000n + 16n * 600_000n);
    expect(micro(receipt.cost)).toBe(8n * 1_500n + 16n * 6_000n);
  });

  it.each([
    ['tools', { tools: TOOLS }, 'a/mid', { 'a/cheap': 'capability' }],
    ['pictures', { messages: [{ role: 'user', content: PICTURE }] }, 'a/best', { 'a/mid': 'capability' }],
    ['length', { messages: [{ role: 'user', content: 'word '.repeat(2_000) }] }, 'a/mid', { 'a/cheap': 'context' }],
    ['quality', { svc: { routing: { auto: { prefer: 'quality' } } } }, 'a/best', { 'a/mid': 'next' }],
    ['a data policy', { svc: { routing: { data: { no_training: true } } } }, 'a/best', { 'a/cheap': 'data' }],
    [
      'a highest price and quality',
      { svc: { routing: { auto: { prefer: 'quality' }, max_price: { input: 15_000 } } } },
      'a/mid',
      { 'a/best': 'price' },
    ],
    ['its own list', { svc: { routing: { auto: { models: ['a/best'] } } } }, 'a/best', { 'a/mid': 'not_named' }],
  ])('heeds %s', async (_name, body, chosen, reasons) => {
    const seen = await auto(body);
    expect([seen.status, seen.body.model]).toEqual([200, chosen]);
    expect(await reasonsOf(seen.requestId)).toMatchObject({ [chosen]: 'chosen', ...reasons });
  });

  it('prefers by speed who begins to answer soonest, and between equals the operator’s order', async () => {
    const seen = await auto({ svc: { routing: { auto: { prefer: 'speed' } } } });
    expect(seen.status).toBe(200);
    const { routing } = (await customerReceiptOf(gateway, seen.requestId)) as unknown as Told;
    expect(routing.auto.prefer).toBe('speed');
  });

  it('stays within the rules of the key', async () => {
    const frugal = await auto({ svc: { routing: { auto: { prefer: 'quality' } } } }, { key: 'dg-test-frugal' });
    expect(frugal.body.model).toBe('a/mid');
    expect((await auto({}, { key: 'dg-test-one' })).body.model).toBe('a/mid');
    const limited = await auto({}, { key: 'dg-test-limited' });
    expect([limited.status, limited.body.error?.param]).toEqual([400, 'model']);
    expect(limited.asked).toEqual([]);
  });

  it('falls over to the next, at its price', async () => {
    gateway.vendor.choose((request) => (providerOf(request) === 'p1' ? faults.failWith(503) : answer(EXACT)));
    const seen = await auto();
    expect([seen.asked, seen.body.model]).toEqual([['p1', 'p2'], 'a/mid']);
    const receipt = (await customerReceiptOf(gateway, seen.requestId)) as unknown as Told;
    expect([micro(receipt.cost), receipt.model]).toEqual([8n * 15_000n + 16n * 60_000n, 'a/mid']);
    gateway.vendor.always(faults.failWith(503));
    const failed = await auto();
    expect(failed.status).toBe(502);
    expect(micro(((await customerReceiptOf(gateway, failed.requestId)) as unknown as Told).cost)).toBe(0n);
  });

  it.each([
    [{ prefer: 'luck' }, 'svc.routing.auto.prefer'],
    [{ models: ['a/none'] }, 'svc.routing.auto.models.0'],
    [{ modells: [] }, 'svc.routing.auto.modells'],
  ])('%j is a 400 that names the field', async (wrong, param) => {
    const seen = await auto({ svc: { routing: { auto: wrong } } });
    expect([seen.status, seen.body.error?.param]).toEqual([400, param]);
  });

  it('is the default model of a key that says so, and a dry run tells what it would choose', async () => {
    const made = await operator.post<{ key: string }>('/keys', {
      account_id: 'acme',
      name: 'usual',
      rules: { default_model: 'auto' },
    });
    const usual = await hello(gateway, 'auto', { model: undefined, max_tokens: 16 }, { key: made.key });
    expect(usual.body.model).toBe('a/cheap');
    const response = await gateway.chat({
      model: 'auto',
      messages: [{ role: 'user', content: 'hello' }],
      max_tokens: 16,
      svc: { dry_run: true },
    });
    expect(await response.json()).toMatchObject({ passes: true, model: 'a/cheap', routes: [{}, {}, {}] });
    const counted = await gateway.fetch('/api/v1/messages/count_tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'auto', messages: [{ role: 'user', content: 'hello' }] }),
    });
    expect(counted.status).toBe(200);
  });
});
