/** Margins, tiers and announced prices as an operator sets them and a customer meets them, over HTTP. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { answer } from '../fake-vendor/behaviours.ts';
import { startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { type Operator, operatorOf } from './operator.ts';

const OPEN_MS = 120_000;
const LISTED = 'openai/gpt-4o';
let gateway: TestGateway;
let operator: Operator;

interface Receipt {
  cost: string;
  formula: string;
  price: { version: string };
  price_origin: { version: string; exchange_rate: string; margin: string; margin_layer: string } | null;
}

beforeAll(async () => {
  const vendor = await startFakeVendor();
  vi.stubEnv('OPENAI_API_KEY', 'up-listed');
  vi.stubEnv('OPENAI_BASE_URL', vendor.baseUrls['openai-chat']);
  gateway = await startGateway({ vendor });
  operator = await operatorOf(gateway);
  await operator.post('/selling/confirm', { exchange_rate: 100_000, margin: '0.1' });
}, OPEN_MS);
afterAll(async () => {
  await gateway.stop();
  await gateway.vendor.close();
  vi.unstubAllEnvs();
});

const ask = async (model: string, usage: { input: number; output: number }) => {
  gateway.vendor.always(answer({ text: 'x', usage }));
  const response = await gateway.chat({ model, messages: [{ role: 'user', content: 'hi' }] });
  expect(response.status).toBe(200);
  return response.headers.get('x-request-id') ?? '';
};
const receiptOf = async (id: string) => operator.get<Receipt>(`/requests/${id}`);
const priceOf = async (model: string) => {
  const shown = (await (await gateway.fetch(`/api/v1/models/${model}`)).json()) as {
    pricing: { input: number; version: string; tiers?: unknown };
  };
  return shown.pricing;
};

it('a margin of one account is shown to it, charged to it, and named with rate and margin on the receipt', async () => {
  const { data } = await operator.get<{ data: { id: string }[] }>('/accounts');
  const account = data.map(({ id }) => id).find((id) => id !== 'operator') ?? '';
  expect((await priceOf(LISTED)).input).toBe(275_000);
  const preview = await operator.post<{ changes: { model: string; new: { input: string } }[] }>(
    `/accounts/${account}/margin/preview`,
    { margin: '0.02' },
  );
  expect(preview.changes.find(({ model }) => model === LISTED)?.new.input).toBe('255000');
  expect(await operator.put(`/accounts/${account}/margin`, { margin: '0.02' })).toMatchObject({ margin: '0.02' });
  await operator.soon(async () => (await priceOf(LISTED)).input, 255_000);
  const receipt = await receiptOf(await ask(LISTED, { input: 10, output: 0 }));
  expect(receipt.formula).toMatch(/^10 × 255000 /);
  expect(receipt.price_origin).toMatchObject({ exchange_rate: '100000', margin: '0.02', margin_layer: 'account' });
  expect(receipt.price.version).toBe(`${receipt.price_origin?.version}+0.02`);
  // A price of the file is in toman, and everybody's.
  expect((await priceOf('mock/chat')).input).toBe(15_000);
  expect(await operator.refused('PUT', `/accounts/${account}/margin`, { margin: '-0.5' })).toMatchObject([
    400,
    'margin',
  ]);
  await operator.put(`/accounts/${account}/margin`, { margin: null });
  await operator.soon(async () => (await priceOf(LISTED)).input, 275_000);
  const layered = await receiptOf(await ask(LISTED, { input: 10, output: 0 }));
  expect(layered.price_origin).toMatchObject({ margin: '0.1', margin_layer: 'global', version: layered.price.version });
});

it('a change is previewed, made, announced and taken back', async () => {
  const wish = { margins: [{ layer: 'vendor', subject: 'openai', margin: 0.2 }] };
  const preview = await operator.post<{ changes: { model: string; new: { input: string } }[] }>(
    '/pricing/preview',
    wish,
  );
  expect(preview.changes.find(({ model }) => model === LISTED)?.new.input).toBe('300000');
  expect(await operator.post('/pricing', wish)).toMatchObject({ changed: true });
  await operator.soon(async () => (await priceOf(LISTED)).input, 300_000);
  const announcedFor = '2099-03-21T00:00:00.000Z';
  await operator.post('/pricing', { exchange_rate: '200000', effective_at: announcedFor });
  const change = async () => {
    const shown = (await (await gateway.fetch(`/api/v1/models/${LISTED}`)).json()) as { price_change: unknown };
    return shown.price_change;
  };
  await eventually(async () =>
    expect(await change()).toMatchObject({ from: announcedFor, pricing: { input: 600_000 } }),
  );
  const view = await operator.get<{ announced: { id: string }[]; margins: unknown[] }>('/pricing');
  expect(view.margins).toContainEqual({ layer: 'vendor', subject: 'openai', margin: '0.2' });
  await operator.remove(`/pricing/announced/${view.announced[0]?.id}`);
  await operator.soon(change, null);
});

it('a long prompt is held for, charged and shown by the price of its tier', async () => {
  const price = { input: 1_000, output: 4_000, tiers: [{ above: 200, input: 2_000, output: 6_000 }] };
  await operator.post('/models', {
    id: 'tiered/one',
    routes: [{ provider: 'chat-a', model: 'up' }],
    price,
    context: 1_000_000,
  });
  await operator.soon(async () => (await priceOf('tiered/one')).input, 1_000);
  expect((await priceOf('tiered/one')).tiers).toEqual([{ above: 200, input: 2_000, output: 6_000 }]);
  const short = await receiptOf(await ask('tiered/one', { input: 200, output: 10 }));
  expect([short.formula, short.cost]).toEqual(['200 × 1000 + 10 × 4000 = 240000 µT', '0.24']);
  const long = await receiptOf(await ask('tiered/one', { input: 201, output: 10 }));
  expect(long.formula).toBe('201 × 2000 + 10 × 6000 = 462000 µT');
  // The hold of a long prompt is made by the tier: a wallet that pays only the lower price is refused before any provider is asked.
  const words = 'word '.repeat(400);
  const dry = async (content: string) => {
    const body = {
      model: 'tiered/one',
      max_tokens: 100,
      messages: [{ role: 'user', content }],
      svc: { dry_run: true },
    };
    return (await (await gateway.chat(body)).json()) as { hold: string; tokens: { input: number } };
  };
  const { hold, tokens } = await dry(words);
  expect(Number(hold) * 1e6).toBe(tokens.input * 2_000 + 100 * 6_000);
  // Setting one field keeps the tiers; null takes them away.
  await operator.post('/models/tiered/one/prices', { price: { input: 1_500 } });
  await operator.soon(async () => (await priceOf('tiered/one')).input, 1_500);
  expect((await priceOf('tiered/one')).tiers).toHaveLength(1);
  await operator.post('/models/tiered/one/prices', { price: { tiers: null } });
  await operator.soon(async () => (await priceOf('tiered/one')).tiers === undefined, true);
  const twice = {
    tiers: [
      { above: 5, input: 1 },
      { above: 5, input: 2 },
    ],
  };
  expect(await operator.refused('POST', '/models/tiered/one/prices', { price: twice })).toMatchObject([
    400,
    'price.tiers',
  ]);
});
