/** Rates, caps and who may call from where: the rules of keys and accounts as a customer meets them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/index.ts';
import type { Clock } from '../../src/core/clock.ts';
import { expectError } from '../errors/expect-error.ts';
import { answer, createGate, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

let gateway: TestGateway;
/** Wall clock in the test's hands: windows roll when it says so. Durations stay real, so that nothing times out. */
let wallMs = Date.parse('2026-11-15T08:00:00Z');
const clock: Clock = { now: () => wallMs, monotonicMs: () => performance.now() };

const key = (id: string, rules: object = {}) => ({ id, key: `dg-test-${id}`, rules });

beforeAll(async () => {
  gateway = await startGateway({
    clock,
    config: {
      settings: { discovery: false, trusted_proxies: ['127.0.0.1', '10.9.0.0/16'] },
      accounts: [
        {
          id: 'acme',
          balance: 100_000,
          keys: [
            key('main'),
            key('three', { rpm: 3 }),
            key('tokens', { tpm: 1_000 }),
            key('group', { models: ['group:economical'] }),
            key('capped', { caps: { daily: 1 } }),
            key('zero', { rpm: 0 }),
            key('free', { rpm: null, tpm: null, caps: { daily: null } }),
            key('office', { ips: ['203.0.113.0/24', '2001:db8::/32'] }),
            key('site', { referrers: ['shop.example', '*.blog.example'] }),
            key('both', { ips: ['203.0.113.7'], referrers: ['shop.example'] }),
          ],
        },
        { id: 'team', balance: 100_000, rules: { rpm: 4 }, keys: [key('a', { rpm: 3 }), key('b', { rpm: 3 })] },
        {
          id: 'narrow',
          balance: 9,
          rules: { models: ['mock/claude'], endpoints: ['chat.completions'] },
          keys: [key('narrow')],
        },
      ],
    },
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.vendor.reset();
  wallMs += 3_600_000;
});

const messages = [{ role: 'user', content: 'hello' }];
const ask = (id: string, more: object = {}, headers: Record<string, string> = {}) =>
  gateway.chat({ model: 'mock/chat', max_tokens: 20, messages, ...more }, { key: `dg-test-${id}`, headers });
const statusOf = async (response: Promise<Response>) => {
  const { status, body } = await response;
  await body?.cancel();
  return status;
};

describe('RPM of a key', () => {
  it('counts in a rolling minute and tells what is left', async () => {
    for (const left of ['2', '1', '0']) {
      const response = await ask('three');
      expect(response.status).toBe(200);
      expect(response.headers.get('x-ratelimit-limit-requests')).toBe('3');
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe(left);
      expect(response.headers.get('x-ratelimit-reset-requests')).toMatch(/^(1m0s|[\d.]+s)$/);
      wallMs += 10_000;
    }
    const refused = await ask('three');
    expect(refused.headers.get('retry-after')).toBe('30');
    await expectError(refused, 'rate_limited');
    wallMs += 30_001;
    expect(await statusOf(ask('three'))).toBe(200);
    expect(await statusOf(ask('three'))).toBe(429);
  });

  it('is not spent by what is free', async () => {
    for (let i = 0; i < 5; i++) {
      for (const path of ['/api/v1/models', '/api/v1/key', '/api/v1/requests/req_none']) {
        const response = await gateway.fetch(path, { key: 'dg-test-three' });
        expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('3');
      }
      const body = JSON.stringify({ model: 'mock/chat', messages });
      const counted = await gateway.fetch('/api/v1/messages/count_tokens', {
        method: 'POST',
        key: 'dg-test-three',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(counted.status).toBe(200);
    }
    expect(await statusOf(ask('three'))).toBe(200);
  });

  it('0 means none allowed, null means no limit', async () => {
    await expectError(await ask('zero'), 'rate_limited');
    const free = await ask('free');
    expect(free.status).toBe(200);
    expect(free.headers.get('x-ratelimit-limit-requests')).toBe('1000000');
  });
});

describe('RPM of an account', () => {
  it('is shared by its keys, though theirs sum higher', async () => {
    const seen = [await ask('a'), await ask('b'), await ask('a'), await ask('b')];
    expect(seen.map((response) => response.status)).toEqual([200, 200, 200, 200]);
    expect(seen.at(-1)?.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    const error = await expectError(await ask('a'), 'rate_limited');
    expect(error['limit']).toBe('account_rpm');
  });
});

describe('TPM', () => {
  it('takes the estimate with max_tokens and corrects it by what was used', async () => {
    gateway.vendor.next(answer({ text: 'short', usage: { input: 10, output: 5 } }));
    const first = await ask('tokens', { max_tokens: 900 });
    expect(first.status).toBe(200);
    // Admitted with 900 and more, corrected to 15: a second one fits.
    await first.text();
    gateway.vendor.next(answer({ text: 'short', usage: { input: 10, output: 5 } }));
    const second = await ask('tokens', { max_tokens: 900 });
    expect(second.status).toBe(200);
    await second.text();
    const state = (await (await gateway.fetch('/api/v1/key', { key: 'dg-test-tokens' })).json()) as {
      limits: { tokens: { limit: number; remaining: number } };
    };
    expect(state.limits.tokens).toMatchObject({ limit: 1_000, remaining: 970 });
  });

  it('refuses what exceeds it with Retry-After, and does not charge', async () => {
    // Takes all but a little of the minute, for as long as it runs.
    const gate = createGate();
    gateway.vendor.next(faults.stallBeforeHeaders(gate, { text: 'short', usage: { input: 10, output: 5 } }));
    const running = ask('tokens', { max_tokens: 900 });
    await gate.reached;
    const error = await expectError(await ask('tokens', { max_tokens: 900 }), 'rate_limited');
    expect(error['limit']).toBe('tpm');
    expect(gateway.vendor.requests).toHaveLength(1);
    gate.open();
    await (await running).text();
  });

  it('says that a request of more than the whole limit never fits, with both numbers', async () => {
    const response = await ask('tokens', { max_tokens: 5_000 });
    expect(response.status).toBe(429);
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ code: 'rate_limited', limit: 'tpm', limit_value: 1_000 });
    expect(error['message']).toContain('1000');
    expect(error['message']).toContain(String(error['requested_tokens']));
    expect(Number(error['requested_tokens'])).toBeGreaterThan(5_000);
    // A dry run tells the same, with its own numbers.
    const dry = await ask('tokens', { max_tokens: 5_000, svc: { dry_run: true } });
    const { rules } = (await dry.json()) as { rules: { rule: string; message: string; detail: object }[] };
    const told = rules.find(({ rule }) => rule === 'tokens_of_key');
    expect(told).toMatchObject({ verdict: 'refuses', code: 'rate_limited', detail: { limit: 1_000 } });
    expect(told?.message).toBe(error['message']);
  });
});

describe('spend caps', () => {
  it('stop at the cap and say when it ends', async () => {
    gateway.vendor.next(answer({ text: 'x', usage: { input: 10, output: 10 } }));
    expect(await statusOf(ask('capped', { max_tokens: 10 }))).toBe(200);
    const error = await expectError(await ask('capped', { max_tokens: 100 }), 'spend_cap_reached');
    expect(error).toMatchObject({ cap: 'key.daily', cap_toman: '1' });
    expect(Date.parse(String(error['resets_at']))).toBeGreaterThan(wallMs);
    expect(Number(error['affordable_tokens'])).toBeGreaterThanOrEqual(0);
    wallMs += 24 * 3_600_000;
    expect(await statusOf(ask('capped', { max_tokens: 10 }))).toBe(200);
  });

  it('a wallet below the estimate is insufficient_balance, and a smaller max_tokens fits', async () => {
    const more = { model: 'mock/claude' };
    const error = await expectError(await ask('narrow', { ...more, max_tokens: 5_000 }), 'insufficient_balance');
    expect(Number(error['missing_toman'])).toBeGreaterThan(0);
    expect(Number(error['affordable_tokens'])).toBeGreaterThan(10);
    expect(await statusOf(ask('narrow', { ...more, max_tokens: Number(error['affordable_tokens']) }))).toBe(200);
  });
});

describe('permitted models and endpoints', () => {
  it('a key restricted to a group', async () => {
    expect(await statusOf(ask('group'))).toBe(200);
    expect(await statusOf(ask('group', { model: 'group:economical' }))).toBe(200);
    await expectError(await ask('group', { model: 'mock/claude' }), 'model_not_allowed', { param: 'model' });
    const list = (await (await gateway.fetch('/api/v1/models', { key: 'dg-test-group' })).json()) as {
      data: { id: string }[];
    };
    expect(list.data.map(({ id }) => id)).toEqual(['mock/chat']);
  });

  it("an account's rules narrow its keys", async () => {
    await expectError(await ask('narrow'), 'model_not_allowed');
    await expectError(await gateway.fetch('/api/v1/models', { key: 'dg-test-narrow' }), 'endpoint_not_allowed');
  });

  it('a key limit above its account is refused when the rule is written', () => {
    const account = { id: 'x', rules: { rpm: 5, caps: { daily: 10 } }, keys: [{ id: 'k', key: 'dg-test-x' }] };
    const written = (rules: object) =>
      readConfig(JSON.stringify({ accounts: [{ ...account, keys: [{ id: 'k', key: 'dg-test-x', rules }] }] }), {});
    expect(written({ rpm: 5, caps: { daily: 10 } }).mistakes).toEqual([]);
    expect(written({ rpm: 6 }).mistakes.map(({ path }) => path)).toEqual(['accounts[0].keys[0].rules.rpm']);
    expect(written({ caps: { daily: 11 } }).mistakes.map(({ path }) => path)).toEqual([
      'accounts[0].keys[0].rules.caps.daily',
    ]);
  });
});

describe('permitted addresses, behind proxies that are listed', () => {
  it.each([
    ['203.0.113.9', 200],
    ['2001:db8::5', 200],
    ['::ffff:203.0.113.9', 200],
    ['198.51.100.1', 403],
    // Read from the right: what stands left of the first unlisted address was written by the caller.
    ['203.0.113.9, 198.51.100.1', 403],
    ['198.51.100.1, 203.0.113.9', 200],
    ['198.51.100.1, 203.0.113.9, 10.9.1.1', 200],
    ['nonsense', 403],
    ['', 403],
  ])('X-Forwarded-For: %s → %i', async (header, status) => {
    const response = await ask('office', {}, header === '' ? {} : { 'x-forwarded-for': header });
    if (status === 200) expect(await statusOf(Promise.resolve(response))).toBe(200);
    else await expectError(response, 'ip_not_allowed');
  });
});

describe('permitted referrers', () => {
  it.each([
    ['referer', 'https://shop.example/basket?x=1', 200],
    ['origin', 'https://shop.example', 200],
    ['referer', 'https://a.blog.example/', 200],
    ['referer', 'https://blog.example/', 403],
    ['referer', 'https://shop.example.evil.test/', 403],
    ['referer', 'https://evil.test/?shop.example', 403],
    ['referer', 'shop.example', 403],
    ['x-nothing', '', 403],
  ])('%s: %s → %i', async (header, value, status) => {
    const response = await ask('site', {}, { [header]: value });
    if (status === 200) expect(await statusOf(Promise.resolve(response))).toBe(200);
    else await expectError(response, 'ip_not_allowed');
  });

  it('each list that is set must match', async () => {
    const good = { 'x-forwarded-for': '203.0.113.7', referer: 'https://shop.example/' };
    expect(await statusOf(ask('both', {}, good))).toBe(200);
    await expectError(await ask('both', {}, { ...good, referer: 'https://a.test/' }), 'ip_not_allowed');
    await expectError(await ask('both', {}, { ...good, 'x-forwarded-for': '203.0.113.8' }), 'ip_not_allowed');
  });
});
