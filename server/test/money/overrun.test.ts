/**
 * Providers that count far more than was held for, many requests at once. A wallet never falls below zero: what it cannot pay
 * is not charged. A cap admits no more than it has; what providers count beyond that is charged all the same, since a key with
 * the smallest cap would otherwise be a way to read for nothing.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseToman } from '../../src/core/money.ts';
import { answer, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { ask, keyView } from './fixed-price.ts';
import { expectAddsUp, receiptOf } from './receipts.ts';

const PARALLEL = 100;
/** A picture by address is held for as the largest there is: 4,800 tokens at 0.015 toman. */
const MIN_HELD = 4_800 * 0.015;
const COUNTED = 50_000;
const COUNTED_TOMAN = COUNTED * 0.015;
const ADMITTED = 10;

const account = (id: string, balance: number, rules: object = {}) => ({
  id,
  name: id,
  balance,
  keys: [{ id, key: `dg-${id}-key`, rules }],
});

const pictures = (more: object) => ({
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'what is this' },
        { type: 'image_url', image_url: { url: 'https://example.com/large.png', detail: 'low' } },
      ],
    },
  ],
  ...more,
});

describe('a hundred pictures at once that are counted ten times', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const vendor = await startFakeVendor();
    gateway = await startGateway({
      vendor,
      config: {
        ...defaultConfig(vendor),
        accounts: [
          account('whole', ADMITTED * (MIN_HELD + 2)),
          account('streams', ADMITTED * (MIN_HELD + 2)),
          account('slow', 1_000_000, { tpm: 10_000 }),
          account('capped', 1_000_000, { caps: { daily: ADMITTED * (MIN_HELD + 2) } }),
        ],
      },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await gateway?.vendor.close();
  });
  beforeEach(() => {
    gateway.vendor.reset();
    gateway.vendor.always(answer({ text: 'a cat', usage: { input: COUNTED, output: 2 } }));
  });

  const storm = async (key: string, more: object) => {
    const all = Array.from({ length: PARALLEL }, async () => {
      const response = await ask(gateway.origin, key, pictures(more));
      await response.clone().text();
      return response;
    });
    const responses = await Promise.all(all);
    const answered = responses.filter(({ status }) => status === 200);
    expect(responses.filter(({ status }) => status !== 200 && status !== 402)).toEqual([]);
    return answered;
  };

  it.each([
    ['whole', false],
    ['streams', true],
  ])('takes no wallet below zero: %s', async (id, stream) => {
    const key = `dg-${id}-key`;
    const before = parseToman((await keyView(gateway.origin, key)).wallet.balance) ?? 0n;
    const answered = await storm(key, { stream });
    expect(answered.length).toBeGreaterThan(0);
    expect(answered.length).toBeLessThanOrEqual(ADMITTED);
    let spent = 0n;
    for (const response of answered) {
      const receipt = await receiptOf(gateway, response, key);
      expectAddsUp(receipt);
      expect(Number(receipt.held)).toBeGreaterThanOrEqual(MIN_HELD);
      spent += parseToman(receipt.cost) ?? 0n;
    }
    expect(spent).toBeLessThanOrEqual(before);
    const { wallet } = await keyView(gateway.origin, key);
    expect(Number(wallet.available)).toBeGreaterThanOrEqual(0);
    expect(Number(wallet.balance)).toBeGreaterThanOrEqual(0);
  });

  it('passes a cap only by what was counted beyond the holds, and is not let in again', async () => {
    const key = 'dg-capped-key';
    const answered = await storm(key, {});
    expect(answered.length).toBeGreaterThan(0);
    expect(answered.length).toBeLessThanOrEqual(ADMITTED);
    for (const response of answered) {
      const { cost, price } = await receiptOf(gateway, response, key);
      expect(Number(cost)).toBeGreaterThan(COUNTED_TOMAN);
      expect(price.lines.map(({ bucket }) => bucket)).not.toContain('unpaid');
    }
    const refused = await ask(gateway.origin, key, {});
    expect(refused.status).toBe(402);
    expect(((await refused.json()) as { error: object }).error).toMatchObject({ code: 'spend_cap_reached' });
  });

  it('leaves the rate to what pictures most likely are: a small limit takes several', async () => {
    const [first] = pictures({}).messages[0]?.content ?? [];
    const many = Array.from({ length: 5 }, () => ({
      type: 'image_url',
      image_url: { url: 'https://example.com/a.png' },
    }));
    gateway.vendor.always(answer({ text: 'cats', usage: { input: 5_000, output: 2 } }));
    const messages = [{ role: 'user', content: [first, ...many] }];
    const response = await ask(gateway.origin, 'dg-slow-key', { messages });
    expect(response.status, await response.clone().text()).toBe(200);
    // Corrected to what was counted.
    const { limits } = await keyView(gateway.origin, 'dg-slow-key');
    expect(limits.tokens.remaining).toBe(10_000 - 5_002);
  });
});
