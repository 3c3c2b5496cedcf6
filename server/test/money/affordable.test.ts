/** What a wallet, a cap and a minimum allow: the refusal's details, the clamp of an open-ended answer, the realistic hold. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { answer, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { ask, exactAnswer, keyView } from './fixed-price.ts';
import { receiptOf } from './receipts.ts';

/** 13:30 in Tehran on the 24th of Aban 1405. */
const NOON: Clock = { now: () => Date.parse('2026-11-15T10:00:00Z'), monotonicMs: () => performance.now() };
/** The input of every request here is 8 tokens, 0.12 toman; an output token is 0.06. */
const SHORT_ANSWER = 1.08;

/** Over one connection and without waiting for answers: a client of its own would take longer than the server. */
async function countOneAfterTheOther(origin: string, key: string, times: number): Promise<void> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const body = JSON.stringify({ model: 'mock/claude', messages: [{ role: 'user', content: 'hello' }] });
  const head = `POST /api/v1/messages/count_tokens HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  socket.write(`${head}\r\n${body}`.repeat(times - 1));
  socket.write(`${head}Connection: close\r\n\r\n${body}`);
  await once(socket.resume(), 'end');
}

const account = (id: string, balance: number, rules: object = {}) => ({
  id,
  name: id,
  balance,
  keys: [{ id, key: `dg-${id}-key`, rules }],
});

describe('with the default settings', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const vendor = await startFakeVendor();
    const { models } = defaultConfig(vendor) as { models: { id: string }[] };
    const price = { input: 150_000, output: 600_000 };
    const expensive = { ...models.find(({ id }) => id === 'mock/chat'), id: 'mock/dear', price };
    const routes = [
      { provider: 'chat-a', model: 'up-model', priority: 1 },
      { provider: 'responses-a', model: 'up-model', priority: 2 },
    ];
    const either = { ...models.find(({ id }) => id === 'mock/chat'), id: 'mock/either', routes };
    gateway = await startGateway({
      vendor,
      clock: NOON,
      config: {
        models: [...models, expensive, either],
        accounts: [
          account('thin', 7.32),
          account('thin-choices', 7.32),
          account('thin-messages', 7.32),
          account('broke', 0.5),
          account('capped-daily', 100, { caps: { daily: 3 } }),
          account('capped-monthly', 100, { caps: { monthly: 3 } }),
          account('capped-total', 100, { caps: { total: 3 } }),
          account('thin-models', 13.2),
          account('rich', 100_000),
          account('modest', 400),
          account('asking', 400),
        ],
      },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await gateway?.vendor.close();
  });
  beforeEach(() => gateway.vendor.reset());

  const open = (key: string, more: object = {}) => ask(gateway.origin, key, { max_tokens: undefined, ...more });
  const errorOf = async (response: Response) => ((await response.json()) as { error: object }).error;

  it('a limit of its own that the wallet cannot pay is refused with what is missing and what would fit', async () => {
    const response = await ask(gateway.origin, 'dg-thin-key', { max_tokens: 1_000 });
    expect(response.status).toBe(402);
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(await errorOf(response)).toMatchObject({
      code: 'insufficient_balance',
      type: 'billing_error',
      missing_toman: '52.8',
      affordable_tokens: 120,
    });
    expect(gateway.vendor.requests).toHaveLength(0);
    // What would fit, fits.
    gateway.vendor.always(exactAnswer());
    expect((await ask(gateway.origin, 'dg-rich-key', { max_tokens: 120 })).status).toBe(200);
  });

  it('an open-ended answer is clamped to what the wallet pays, upstream too, and ends with `length`', async () => {
    gateway.vendor.always(answer({ text: 'as long as it lasts', finish: 'length', usage: { input: 8, output: 120 } }));
    const response = await open('dg-thin-key');
    expect(response.status).toBe(200);
    const body = (await response.json()) as { choices: { finish_reason: string }[]; svc?: { notes?: string[] } };
    const sent = gateway.vendor.requests[0]?.body ?? {};
    expect(sent['max_tokens'] ?? sent['max_completion_tokens']).toBe(120);
    expect(body.choices[0]?.finish_reason).toBe('length');
    expect(body.svc?.notes?.join()).toContain('120 tokens');
    expect(response.headers.get('x-svc-cost')).toBe('7.32');
    expect((await keyView(gateway.origin, 'dg-thin-key')).wallet.available).toBe('0');
    // Now not even a short answer fits.
    const refused = await open('dg-thin-key');
    expect(refused.status).toBe(402);
    expect(await errorOf(refused)).toMatchObject({ missing_toman: String(SHORT_ANSWER), affordable_tokens: 0 });
  });

  it('several choices share what the wallet pays', async () => {
    gateway.vendor.always(answer({ usage: { input: 8, output: 120 } }));
    expect((await open('dg-thin-choices-key', { n: 3 })).status).toBe(200);
    const sent = gateway.vendor.requests[0]?.body ?? {};
    expect(sent['max_tokens'] ?? sent['max_completion_tokens']).toBe(40);
  });

  it('the messages protocol, which always names a limit, is held to it', async () => {
    const send = (max_tokens: number) =>
      gateway.fetch('/api/v1/messages', {
        key: 'dg-thin-messages-key',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'mock/claude', max_tokens, messages: [{ role: 'user', content: 'hello' }] }),
      });
    const refused = await send(1_000);
    expect(refused.status).toBe(402);
    expect(await errorOf(refused)).toMatchObject({ type: 'billing_error', code: 'insufficient_balance' });
    expect((await send(64)).status).toBe(200);
    expect(gateway.vendor.requests[0]?.body['max_tokens']).toBe(64);
  });

  it('a limit that is raised to the least a provider takes is held for as it is sent', async () => {
    const refused = await ask(gateway.origin, 'dg-broke-key', { model: 'mock/responses', max_tokens: 1 });
    expect(refused.status).toBe(402);
    expect(await errorOf(refused)).toMatchObject({ missing_toman: '0.58' });
    expect((await ask(gateway.origin, 'dg-rich-key', { model: 'mock/responses', max_tokens: 1 })).status).toBe(200);
    expect(gateway.vendor.requests[0]?.body['max_output_tokens']).toBe(16);
  });

  it('a provider that takes any limit is told the one that was asked for, whatever another is held for', async () => {
    const response = await ask(gateway.origin, 'dg-rich-key', { model: 'mock/either', max_tokens: 1 });
    expect(response.status).toBe(200);
    expect((await receiptOf(gateway, response, 'dg-rich-key')).held).toBe(String(SHORT_ANSWER));
    expect(gateway.vendor.requests[0]?.body['max_tokens']).toBe(1);
  });

  it('asking what a request would cost is free, and counted with everything that is', {
    timeout: 300_000,
  }, async () => {
    const dryRun = () => ask(gateway.origin, 'dg-asking-key', { svc: { dry_run: true } });
    expect((await dryRun()).status).toBe(200);
    await countOneAfterTheOther(gateway.origin, 'dg-asking-key', 6_000);
    const refused = await dryRun();
    expect(refused.status).toBe(429);
    expect(await errorOf(refused)).toMatchObject({ code: 'rate_limited', limit: 'free_requests' });
  });

  it('less than a short answer is refused even without a limit', async () => {
    const response = await open('dg-broke-key');
    expect(response.status).toBe(402);
    expect(await errorOf(response)).toMatchObject({ missing_toman: '0.58', affordable_tokens: 6 });
  });

  it.each([
    ['daily', '2026-11-15T20:30:00.000Z'],
    // The first of Azar.
    ['monthly', '2026-11-21T20:30:00.000Z'],
    ['total', null],
  ])('a %s cap says which it is, what is missing and when it resets', async (period, resetsAt) => {
    const response = await ask(gateway.origin, `dg-capped-${period}-key`, { max_tokens: 100 });
    expect(response.status).toBe(402);
    expect(await errorOf(response)).toMatchObject({
      code: 'spend_cap_reached',
      cap: `key.${period}`,
      cap_toman: '3',
      missing_toman: '3.12',
      affordable_tokens: 48,
      resets_at: resetsAt,
    });
    // Without a limit of its own the same request is clamped to the cap.
    gateway.vendor.always(answer({ usage: { input: 8, output: 48 } }));
    expect((await open(`dg-capped-${period}-key`)).headers.get('x-svc-cost')).toBe('3');
    const sent = gateway.vendor.requests.find(({ path }) => path.endsWith('/chat/completions'))?.body ?? {};
    expect(sent['max_tokens'] ?? sent['max_completion_tokens']).toBe(48);
  });

  it('a whole answer, which nobody sees growing, is held for to its longest, but takes no more than a part of a wallet', async () => {
    gateway.vendor.always(answer({ usage: { input: 8, output: 100 } }));
    const rich = await open('dg-rich-key');
    // 16,384 tokens are the longest answer of the model, so the provider needs no limit.
    expect((await receiptOf(gateway, rich, 'dg-rich-key')).held).toBe('983.16');
    expect(gateway.vendor.requests[0]?.body).not.toHaveProperty('max_tokens');
    const modest = await open('dg-modest-key');
    expect((await receiptOf(gateway, modest, 'dg-modest-key')).held).toBe('100');
    expect(gateway.vendor.requests[1]?.body['max_tokens']).toBe(1_664);
  });

  it('a hold for several models covers the dearest, and so does the clamp', async () => {
    gateway.vendor.always(answer({ usage: { input: 8, output: 16 } }));
    const routing = { models: ['mock/dear'] };
    const response = await ask(gateway.origin, 'dg-rich-key', { svc: { routing } });
    expect(response.status).toBe(200);
    // mock/dear costs ten times as much.
    expect((await receiptOf(gateway, response, 'dg-rich-key')).held).toBe('10.8');
    expect(response.headers.get('x-svc-cost')).toBe(String(SHORT_ANSWER));
    // 1.2 toman for the expensive model's input, 0.6 for each of its tokens.
    expect((await open('dg-thin-models-key', { svc: { routing } })).status).toBe(200);
    const sent = gateway.vendor.requests[1]?.body ?? {};
    expect(sent['max_tokens'] ?? sent['max_completion_tokens']).toBe(20);
  });
});

describe('with a required minimum in the wallet', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const accounts = [account('below', 4.9), account('near', 5.5), account('above', 50)];
    gateway = await startGateway({ config: { settings: { discovery: false, wallet_minimum: 5 }, accounts } });
    gateway.vendor.always(exactAnswer());
  });
  afterAll(() => gateway?.stop());

  it('nothing is charged below it, nor into it', async () => {
    for (const [key, missing] of [
      ['dg-below-key', '1.18'],
      ['dg-near-key', '0.58'],
    ] as const) {
      const response = await ask(gateway.origin, key);
      expect(response.status).toBe(402);
      expect(((await response.json()) as { error: object }).error).toMatchObject({
        code: 'insufficient_balance',
        missing_toman: missing,
      });
    }
    expect((await ask(gateway.origin, 'dg-above-key')).status).toBe(200);
  });
});
