/** What is charged: exact in every protocol, by what was delivered, and nothing for what was not. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, type Behaviour, createGate, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { ask, keyView } from './fixed-price.ts';
import { expectAddsUp, type Receipt, receiptOf } from './receipts.ts';

const CHAT = { path: '/api/v1/chat/completions', limit: 'max_tokens', input: 'messages' };
const MESSAGES = { ...CHAT, path: '/api/v1/messages' };
const RESPONSES = { path: '/api/v1/responses', limit: 'max_output_tokens', input: 'input' };
const PROTOCOLS = { chat: CHAT, messages: MESSAGES, responses: RESPONSES };

/** At 15,000 in, 7,500 cached, 18,750 written to the cache and 60,000 out. */
const UPSTREAMS = {
  'mock/chat': { usage: { input: 100, cached: 40, output: 30, reasoning: 10 }, cost: '3' },
  'mock/gemini': { usage: { input: 100, cached: 40, output: 30, reasoning: 10 }, cost: '3' },
  'mock/responses': { usage: { input: 100, cached: 40, output: 30, reasoning: 10 }, cost: '3' },
  'mock/claude': { usage: { input: 100, cached: 40, cacheWrite: 20, output: 30 }, cost: '3.075' },
};

const CASES = Object.keys(PROTOCOLS).flatMap((protocol) =>
  Object.keys(UPSTREAMS).flatMap((model) => [
    { protocol, model, stream: false },
    { protocol, model, stream: true },
  ]),
) as { protocol: keyof typeof PROTOCOLS; model: keyof typeof UPSTREAMS; stream: boolean }[];

describe('charges', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const vendor = await startFakeVendor();
    const { models } = defaultConfig(vendor) as { models: { id: string }[] };
    const micro = { ...models.find(({ id }) => id === 'mock/chat'), id: 'mock/micro', price: { input: 1, output: 3 } };
    const accounts = [
      { id: 'acme', name: 'Acme', balance: 100_000, keys: [{ id: 'main', key: 'dg-test-main' }] },
      { id: 'slow', name: 'Slow', balance: 100, keys: [{ id: 'slow', key: 'dg-slow-key', rules: { rpm: 0 } }] },
    ];
    gateway = await startGateway({ vendor, config: { models: [...models, micro], accounts } });
  });
  afterAll(async () => {
    await gateway?.stop();
    await gateway?.vendor.close();
  });
  beforeEach(() => gateway.vendor.reset());

  function send(protocol: keyof typeof PROTOCOLS, model: string, stream: boolean): Promise<Response> {
    const { path, limit, input } = PROTOCOLS[protocol];
    return gateway.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        [limit]: 64,
        [input]: [{ role: 'user', content: 'hello' }],
        stream,
        ...(stream && protocol === 'chat' ? { stream_options: { include_usage: true } } : {}),
      }),
    });
  }

  it.each(CASES)('$protocol to $model, stream: $stream, costs the same everywhere it is told', async (one) => {
    const { usage, cost } = UPSTREAMS[one.model];
    gateway.vendor.always(answer({ text: 'hello yourself', usage }));
    const response = await send(one.protocol, one.model, one.stream);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    expect(lastCostIn(text)).toBe(Number(cost));
    if (!one.stream) expect(response.headers.get('x-svc-cost')).toBe(cost);
    const receipt = await receiptOf(gateway, response);
    expect(receipt).toMatchObject({ state: 'completed', cost, usage_source: 'upstream', model: one.model });
    expect(receipt.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 30 });
    expect(receipt.usage?.buckets['cache_read']).toBe(40);
    expectAddsUp(receipt);
  });

  it('is exact to the micro-toman', async () => {
    gateway.vendor.always(answer({ usage: { input: 7, output: 5 } }));
    const response = await send('chat', 'mock/micro', false);
    expect(response.headers.get('x-svc-cost')).toBe('0.000022');
    expect(lastCostIn(await response.text())).toBe(0.000022);
    expect((await receiptOf(gateway, response)).formula).toBe('7 × 1 + 5 × 3 = 22 µT');
  });

  const FREE: Record<string, Behaviour> = {
    'an error status': faults.failWith(500),
    'a provider that is rate limited': faults.rateLimited('1'),
    'an empty stream': faults.emptyStream(),
    'a stream that ends after its first frame, before any output': faults.endWithoutTerminal(1),
    'a connection that dies before the answer': faults.resetBeforeHeaders(),
    'an error instead of output': faults.errorEvent(1),
  };
  it.each(Object.entries(FREE))('%s is free', async (_name, behaviour) => {
    const before = (await keyView(gateway.origin, gateway.key)).wallet.available;
    gateway.vendor.always(behaviour);
    const response = await send('chat', 'mock/chat', true);
    expect(response.status).toBe(502);
    await response.text();
    expect(await receiptOf(gateway, response)).toMatchObject({ state: 'failed', cost: '0', formula: '0 µT' });
    await eventually(async () => expect((await keyView(gateway.origin, gateway.key)).wallet.available).toBe(before));
  });

  it('a refusal is free', async () => {
    const response = await ask(gateway.origin, 'dg-slow-key');
    expect(response.status).toBe(429);
    expect(await receiptOf(gateway, response, 'dg-slow-key')).toMatchObject({ state: 'refused', cost: '0' });
    expect((await keyView(gateway.origin, 'dg-slow-key')).wallet).toEqual({
      balance: '100',
      held: '0',
      available: '100',
    });
  });

  it('a client that leaves pays for what was generated, counted by us', async () => {
    const gate = createGate();
    // Role, and two of three pieces of the text.
    gateway.vendor.always(faults.stallAfter(3, gate, { text: 'one two three four five six seven eight nine' }));
    const leaving = new AbortController();
    // A model that does not think: of one that does, what it thought unseen is charged too (leaving-early.test.ts).
    const response = await gateway.chat(
      { model: 'mock/plain', messages: [{ role: 'user', content: 'hello' }], stream: true },
      { signal: leaving.signal },
    );
    await response.body?.getReader().read();
    leaving.abort();
    const receipt = await receiptOf(gateway, response);
    expect(receipt).toMatchObject({ state: 'client_closed', usage_source: 'estimated' });
    expectPartOf(receipt, 9);
    // The provider was told, too.
    expect(await gateway.vendor.requests[0]?.ended).toBe('aborted');
    gate.open();
    await eventually(async () => expect((await keyView(gateway.origin, gateway.key)).wallet.held).toBe('0'));
  });

  it('a stream cut by the provider after some output is charged for that output', async () => {
    gateway.vendor.always(faults.cutAfter(3, 'reset', { text: 'one two three four five six seven eight nine' }));
    const response = await send('chat', 'mock/chat', true);
    const text = await response.text();
    expect(text).toContain('"error"');
    expect(text).not.toContain('[DONE]');
    const receipt = await receiptOf(gateway, response);
    expect(receipt).toMatchObject({ state: 'interrupted', usage_source: 'estimated' });
    expectPartOf(receipt, 9);
  });
});

describe('charges with charge_interrupted off', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ config: { settings: { discovery: false, charge_interrupted: false } } });
  });
  afterAll(() => gateway?.stop());

  it('a stream cut by the provider is free, one that finished is not', async () => {
    gateway.vendor.next(faults.cutAfter(3));
    const stream = { model: 'mock/chat', messages: [{ role: 'user', content: 'hello' }], stream: true };
    const cut = await gateway.chat(stream);
    await cut.text();
    expect(await receiptOf(gateway, cut)).toMatchObject({ state: 'interrupted', cost: '0' });
    const whole = await gateway.chat(stream);
    await whole.text();
    const receipt = await receiptOf(gateway, whole);
    expect(receipt.state).toBe('completed');
    expect(Number(receipt.cost)).toBeGreaterThan(0);
  });
});

/** Some of the output is charged, not all of it and not nothing. */
function expectPartOf(receipt: Receipt, words: number): void {
  expectAddsUp(receipt);
  expect(receipt.usage?.completion_tokens).toBeGreaterThan(0);
  expect(receipt.usage?.completion_tokens).toBeLessThan(words);
  expect(Number(receipt.cost)).toBeGreaterThan(0);
}

/** In a stream the last frame with usage has it. */
function lastCostIn(text: string): number {
  const all = [...text.matchAll(/"cost":([\d.e-]+)/g)];
  return Number(all.at(-1)?.[1]);
}
