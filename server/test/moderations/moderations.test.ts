/** Moderation with OpenAI's own client: texts, pictures, vendors that say less, and what it costs when it costs something. */
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receipt, receiptOf } from '../audio/audio-gateway.ts';
import { expectError } from '../errors/expect-error.ts';
import { faults, json } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';

const two = [
  { provider: 'chat-a', model: 'up-a', priority: 1 },
  { provider: 'chat-b', model: 'up-b', priority: 2 },
];
const MODELS = [
  { id: 'mock/free', kind: 'moderation', capabilities: ['vision'], routes: two, price: { input: 0 } },
  { id: 'mock/paid', kind: 'moderation', routes: two, price: { input: 1_000_000, request: 2 } },
];
const judged = (flagged: boolean) => ({
  flagged,
  categories: { violence: flagged, hate: false },
  category_scores: { violence: flagged ? 0.9 : 0.1, hate: 0 },
  category_applied_input_types: { violence: ['text'], hate: ['text'] },
});

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  const keys = [
    { id: 'main', key: 'dg-test-main' },
    { id: 'chosen', key: 'dg-test-chosen', rules: { default_model: 'mock/paid' } },
  ];
  const accounts = [
    { id: 'acme', balance: 1_000, keys },
    { id: 'poor', balance: 1, keys: [{ id: 'poor', key: 'dg-test-poor' }] },
  ];
  gateway = await startGateway({
    config: { settings: { discovery: false }, models: MODELS, groups: [], accounts },
  });
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());

function moderate(fields: object, key?: string) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'mock/paid', ...fields });
  return gateway.fetch('/api/v1/moderations', { method: 'POST', headers, body, ...(key && { key }) });
}

async function paid(response: Response): Promise<Receipt> {
  expect(response.status).toBe(200);
  await response.json();
  return receiptOf(gateway, response);
}

describe('an answer', () => {
  it('has a result for each text', async () => {
    gateway.vendor.next(json(200, { id: 'm', model: 'x', results: [judged(false), judged(true)] }));
    const answer = await client.moderations.create({ model: 'mock/free', input: ['hello', 'I kill'] });
    expect(answer.results.map(({ flagged }) => flagged)).toEqual([false, true]);
    expect(answer.model).toBe('mock/free');
    expect(gateway.vendor.requests.at(-1)).toMatchObject({
      path: '/v1/moderations',
      body: { model: 'up-a', input: ['hello', 'I kill'] },
    });
  });

  it('has one for texts and pictures together, where the model sees', async () => {
    gateway.vendor.next(json(200, { results: [judged(true)] }));
    const input = [
      { type: 'text' as const, text: 'look' },
      { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } },
    ];
    expect((await client.moderations.create({ model: 'mock/free', input })).results).toHaveLength(1);
    expect(gateway.vendor.requests.at(-1)?.body['input']).toEqual(input);
    await expectError(await moderate({ input }), 'invalid_request', { param: 'input' });
  });

  it('of a vendor that says less is filled in', async () => {
    gateway.vendor.next(
      json(200, { results: [{ categories: { pii: true, law: false }, category_scores: { pii: 1 } }] }),
    );
    const [result] = (await client.moderations.create({ model: 'mock/free', input: 'x' })).results;
    expect(result).toMatchObject({ flagged: true, category_applied_input_types: { pii: ['text'], law: ['text'] } });
  });

  it('comes without a model too, as clients ask; the simulator answers where it is all there is', async () => {
    gateway.vendor.next(json(200, { results: [judged(false)] }));
    expect((await client.moderations.create({ input: 'hello' })).model).toBe('mock/free');
    const answer = await client.moderations.create({ model: 'sandbox/moderate', input: ['سلام', 'بمب'] });
    expect(answer.results.map(({ flagged, categories }) => [flagged, categories['illicit/violent']])).toEqual([
      [false, false],
      [true, true],
    ]);
  });
});

describe('its money', () => {
  it('is none at a price of zero, whatever the wallet holds', async () => {
    gateway.vendor.next(json(200, { results: [judged(false)] }));
    expect(await paid(await moderate({ model: 'mock/free', input: 'hello' }))).toMatchObject({
      endpoint: 'moderations',
      state: 'completed',
      cost: '0',
    });
  });

  it('is our count, or that of a provider which counts', async () => {
    gateway.vendor.next(
      json(200, { results: [judged(false)] }),
      json(200, { results: [judged(false)], usage: { prompt_tokens: 9, total_tokens: 9 } }),
    );
    const ours = await paid(await moderate({ input: 'hello there my friend' }));
    expect(ours.usage_source).toBe('estimated');
    expect(Number(ours.cost)).toBeGreaterThan(2);
    expect(Number(ours.cost)).toBeLessThanOrEqual(Number(ours.held));
    expect(await paid(await moderate({ input: 'hello' }))).toMatchObject({ cost: '11', usage_source: 'upstream' });
  });

  it('is of the route that answered, and none when nobody did or nobody could pay', async () => {
    gateway.vendor.next(
      json(200, { results: [] }),
      json(200, { results: [judged(false)], usage: { total_tokens: 1 } }),
    );
    expect(await paid(await moderate({ input: 'hello' }))).toMatchObject({ cost: '3' });
    gateway.vendor.next(faults.failWith(500), faults.failWith(500));
    await expectError(await moderate({ input: 'hello' }), 'upstream_error');
    await expectError(await moderate({ input: 'hello' }, 'dg-test-poor'), 'insufficient_balance');
    expect(await wholeProof((method, path) => gateway.admin(method, path))).toMatchObject({ ok: true });
  });
});

it.each([
  [{}, 'input'],
  [{ input: [] }, 'input'],
  [{ input: 7 }, 'input'],
  [{ input: '' }, 'input'],
  [{ input: ['a', 3] }, 'input.1'],
  [{ input: [{ type: 'text' }] }, 'input.0.text'],
  [{ input: [{ type: 'video' }] }, 'input.0.type'],
  [{ input: [{ type: 'image_url', image_url: { url: 'ftp://x' } }] }, 'input.0.image_url.url'],
])('%j is refused by its field', async (fields, param) => {
  await expectError(await moderate(fields), 'invalid_request', { param });
});
