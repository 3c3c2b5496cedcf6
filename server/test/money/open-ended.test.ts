/**
 * Requests without `max_tokens`, many at once. Whatever may be generated is held first, so a wallet never falls below zero
 * and a cap is passed by no more than a step of a running answer, however many run side by side.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { seeded } from '../simulation/seeded.ts';
import { ask, exactAnswer, keyView } from './fixed-price.ts';

const OUTPUT_TOMAN = 0.06;
const STEP = 512;
const LONG = 6_000;
const WORDS = Array.from({ length: LONG }, () => 'the').join(' ');
/** Far longer than anything asked before; the provider counts what it says, and stops where it is told to. */
const long = answer({ text: WORDS, usage: { input: 8, output: LONG } });

const account = (id: string, balance: number, rules: object = {}) => ({
  id,
  name: id,
  balance,
  keys: [{ id, key: `dg-${id}-key`, rules }],
});

describe('answers without a limit of their own', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const vendor = await startFakeVendor();
    const defaults = defaultConfig(vendor);
    const models = defaults['models'] as object[];
    gateway = await startGateway({
      vendor,
      config: {
        ...defaults,
        // Models that say all they think, each in a protocol of its own.
        models: models.map((model) => ({ ...model, capabilities: ['streaming'] })),
        accounts: [
          account('wallet', 1_000),
          account('capped', 1_000_000, { caps: { daily: 1_000 } }),
          account('whole', 1_000),
          account('teacher', 100_000),
          account('pupil', 100_000),
          account('thin', 12),
          account('thin-messages', 12),
          account('thin-responses', 12),
          account('thin-translated', 12),
          account('odd-counter', 3),
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
  const train = async (key: string) => {
    gateway.vendor.always(exactAnswer());
    for (let i = 0; i < 25; i++) await (await open(key)).arrayBuffer();
  };
  /** Random numbers of requests side by side, whole answers and streams. */
  const storm = async (key: string, count: number, streams: boolean) => {
    const chance = seeded(count);
    let left = count;
    while (left > 0) {
      const together = Math.min(left, 1 + chance.below(48));
      left -= together;
      await Promise.all(Array.from({ length: together }, async () => (await open(key, { stream: streams })).text()));
    }
  };

  it('a trained wallet is not overdrawn by many streams at once', async () => {
    await train('dg-wallet-key');
    gateway.vendor.always(long);
    await storm('dg-wallet-key', 96, true);
    const { wallet } = await keyView(gateway.origin, 'dg-wallet-key');
    expect(Number(wallet.available)).toBeGreaterThanOrEqual(0);
    expect(Number(wallet.available)).toBeLessThan(STEP * OUTPUT_TOMAN);
  });

  it('a trained cap is not passed by more than a step', async () => {
    await train('dg-capped-key');
    gateway.vendor.always(long);
    await storm('dg-capped-key', 96, true);
    const { caps } = await keyView(gateway.origin, 'dg-capped-key');
    expect(Number(caps[0]?.spent) + Number(caps[0]?.held)).toBeLessThanOrEqual(1_000 + STEP * OUTPUT_TOMAN);
  });

  it('whole answers are limited upstream to what is held', async () => {
    await train('dg-whole-key');
    gateway.vendor.reset();
    gateway.vendor.always((wire) => {
      const { max_tokens: older, max_completion_tokens: newer } = wire.request.body;
      const output = Math.min(LONG, Number(older ?? newer ?? LONG));
      return answer({ text: 'the', usage: { input: 8, output }, finish: output < LONG ? 'length' : 'stop' })(wire);
    });
    await storm('dg-whole-key', 96, false);
    const { wallet } = await keyView(gateway.origin, 'dg-whole-key');
    expect(Number(wallet.available)).toBeGreaterThanOrEqual(0);
    expect(gateway.vendor.requests.length).toBeGreaterThan(0);
  });

  it('nobody teaches the holds of another', async () => {
    await train('dg-teacher-key');
    const heldFor = async (key: string) => {
      gateway.vendor.always(exactAnswer());
      const response = await open(key, { stream: true });
      await response.text();
      const receipt = await gateway.fetch(`/api/v1/requests/${response.headers.get('x-svc-request-id')}`, { key });
      return Number(((await receipt.json()) as { held: string }).held);
    };
    // The pupil holds the default of 1,024 tokens, the teacher what it learned, but no less than a step.
    expect(await heldFor('dg-pupil-key')).toBeCloseTo(0.12 + 1_024 * OUTPUT_TOMAN);
    expect(await heldFor('dg-teacher-key')).toBeCloseTo(0.12 + STEP * OUTPUT_TOMAN);
  });

  it('a provider that counts more than anybody saw does not take a wallet below zero', async () => {
    gateway.vendor.always(answer({ text: 'short', usage: { input: 8, output: 500 } }));
    const response = await open('dg-odd-counter-key', { stream: true });
    expect(await response.text()).toContain('[DONE]');
    const { wallet } = await keyView(gateway.origin, 'dg-odd-counter-key');
    expect(wallet.available).toBe('0');
    const key = 'dg-odd-counter-key';
    const receipt = await gateway.fetch(`/api/v1/requests/${response.headers.get('x-svc-request-id')}`, { key });
    const { cost, price } = (await receipt.json()) as { cost: string; price: { lines: { bucket: string }[] } };
    expect(Number(cost)).toBe(3);
    expect(price.lines.map(({ bucket }) => bucket)).toContain('unpaid');
  });

  describe('an answer that the wallet cannot pay to its end', () => {
    const post = async (path: string, key: string, body: object) => {
      gateway.vendor.always(long);
      const response = await gateway.fetch(path, {
        key,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ stream: true, ...body }),
      });
      expect(response.status).toBe(200);
      const text = await response.text();
      const { wallet } = await keyView(gateway.origin, key);
      expect(Number(wallet.available)).toBeGreaterThanOrEqual(0);
      return text;
    };
    const messages = [{ role: 'user', content: 'hello' }];

    it('ends with `length` and a note in the chat protocol', async () => {
      const text = await post('/api/v1/chat/completions', 'dg-thin-key', { model: 'mock/chat', messages });
      expect(text).toContain('"finish_reason":"length"');
      expect(text).toContain('cannot pay for a longer answer');
      expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
      expect(text.split('the the').length).toBeGreaterThan(10);
    });

    it('ends with `length` where the answer is translated', async () => {
      const text = await post('/api/v1/chat/completions', 'dg-thin-translated-key', { model: 'mock/claude', messages });
      expect(text).toContain('"finish_reason":"length"');
      expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    });

    it('ends with `max_tokens` in the messages protocol when a provider does not keep to its limit', async () => {
      const body = { model: 'mock/claude', max_tokens: 190, messages };
      const text = await post('/api/v1/messages', 'dg-thin-messages-key', body);
      expect(text).toContain('"stop_reason":"max_tokens"');
      expect(text.match(/content_block_stop/g)?.length).toBeGreaterThanOrEqual(1);
      expect(text.trimEnd().endsWith('data: {"type":"message_stop"}')).toBe(true);
    });

    it('ends with `response.incomplete` in the Responses protocol', async () => {
      const text = await post('/api/v1/responses', 'dg-thin-responses-key', {
        model: 'mock/responses',
        input: 'hello',
      });
      expect(text).toContain('event: response.incomplete');
      expect(text).toContain('"max_output_tokens"');
      expect(text).not.toContain('response.completed');
    });
  });
});
