import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../src/core/chat.ts';
import { GatewayError } from '../../src/core/errors.ts';
import { type Money, money } from '../../src/core/money.ts';
import type { Price } from '../../src/core/price.ts';
import type { Caller } from '../../src/keys/check-rules.ts';
import {
  type AccountRules,
  checkKeyRules,
  checkPrice,
  checkRequestRules,
  ENDPOINTS,
  type KeySnapshot,
  permitsModel,
  permitsPrice,
  UNLIMITED_ACCOUNT,
  UNLIMITED_KEY,
} from '../../src/keys/index.ts';
import type { KeyRules } from '../../src/keys/rules.ts';

function snapshot(rules: Partial<KeyRules> = {}, account: Partial<AccountRules> = {}): KeySnapshot {
  return {
    id: 'key',
    name: 'Key',
    rules: { ...UNLIMITED_KEY, ...rules },
    account: {
      id: 'account',
      name: 'Account',
      rules: { ...UNLIMITED_ACCOUNT, ...account },
      calendar: { timeZone: 'Asia/Tehran', month: 'jalali' },
    },
  };
}

const CALLER: Caller = { endpoint: 'messages', ip: '10.0.0.7', referrer: 'https://app.example.com/page', nowMs: 1_000 };

function verdict(key: KeySnapshot, caller: Partial<Caller> = {}): string {
  try {
    checkKeyRules(key, { ...CALLER, ...caller });
    return 'passed';
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
}

describe('order of key rules', () => {
  // Each row breaks its own rule; a key that breaks several answers with the first of them.
  const broken: [code: string, rules: Partial<KeyRules>, account: Partial<AccountRules>][] = [
    ['key_paused', { paused: true }, {}],
    ['key_expired', { expiresAt: 1_000 }, {}],
    ['ip_not_allowed', { ips: ['192.0.2.1'] }, {}],
    ['ip_not_allowed', { referrers: ['other.example'] }, {}],
    ['endpoint_not_allowed', { endpoints: ['embeddings'] }, {}],
    ['endpoint_not_allowed', {}, { endpoints: ['embeddings'] }],
  ];

  it('passes a key without rules', () => expect(verdict(snapshot())).toBe('passed'));

  it('answers with the first broken rule, whatever else is broken', () => {
    fc.assert(
      fc.property(fc.subarray(broken, { minLength: 1 }), (some) => {
        const rules = Object.assign({}, ...some.map((row) => row[1])) as Partial<KeyRules>;
        const account = Object.assign({}, ...some.map((row) => row[2])) as Partial<AccountRules>;
        expect(verdict(snapshot(rules, account))).toBe(some[0]?.[0]);
      }),
    );
  });

  it('expires at the very millisecond, not before', () => {
    expect(verdict(snapshot({ expiresAt: 1_001 }))).toBe('passed');
    expect(verdict(snapshot({ expiresAt: 1_000 }))).toBe('key_expired');
  });

  it('wants every list that is set to match', () => {
    const both = { ips: ['10.0.0.0/8'], referrers: ['*.example.com'] };
    expect(verdict(snapshot(both))).toBe('passed');
    expect(verdict(snapshot(both), { ip: '11.0.0.1' })).toBe('ip_not_allowed');
    expect(verdict(snapshot(both), { referrer: undefined })).toBe('ip_not_allowed');
  });

  it('allows nothing through an empty list', () => {
    expect(verdict(snapshot({ ips: [] }))).toBe('ip_not_allowed');
    expect(verdict(snapshot({ referrers: [] }))).toBe('ip_not_allowed');
    for (const endpoint of ENDPOINTS) {
      // What it may and what it did, a key may always ask.
      const own = endpoint === 'key' || endpoint === 'requests';
      expect(verdict(snapshot({ endpoints: [] }), { endpoint })).toBe(own ? 'passed' : 'endpoint_not_allowed');
    }
  });

  it('lets whoever may send messages count their tokens', () => {
    const counting = { endpoint: 'messages.count_tokens' } as const;
    expect(verdict(snapshot({ endpoints: ['messages'] }), counting)).toBe('passed');
    expect(verdict(snapshot({ endpoints: ['messages'] }, { endpoints: ['responses'] }), counting)).toBe(
      'endpoint_not_allowed',
    );
    expect(verdict(snapshot({ endpoints: ['messages.count_tokens'] }))).toBe('endpoint_not_allowed');
  });
});

describe('addresses', () => {
  it.each([
    ['10.0.0.7', ['10.0.0.7'], true],
    ['10.0.0.8', ['10.0.0.7'], false],
    ['10.1.2.3', ['10.0.0.0/8'], true],
    ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
    ['10.1.2.3', ['::ffff:10.0.0.0/104'], true],
    ['11.1.2.3', ['::ffff:10.0.0.0/104'], false],
    ['2001:db8::1', ['2001:db8::/32'], true],
    ['2001:DB8:0:0:0:0:0:1', ['2001:db8::1'], true],
    ['2001:db9::1', ['2001:db8::/32'], false],
    ['10.0.0.7', ['2001:db8::/32', '0.0.0.0/0'], true],
    ['2001:db8::1', ['0.0.0.0/0'], false],
    ['fe80::1%eth0', ['fe80::/10'], true],
    ['', ['0.0.0.0/0', '::/0'], false],
    ['not an address', ['0.0.0.0/0', '::/0'], false],
  ])('%s against %j: %s', (ip, ips, allowed) => {
    expect(verdict(snapshot({ ips }), { ip })).toBe(allowed ? 'passed' : 'ip_not_allowed');
  });
});

describe('referrers', () => {
  it.each([
    ['https://example.com/a?b', ['example.com'], true],
    ['https://EXAMPLE.com.:8443', ['example.com'], true],
    ['https://a.b.example.com', ['*.example.com'], true],
    ['https://example.com', ['*.example.com'], false],
    ['https://evil-example.com', ['*.example.com'], false],
    ['https://example.com.evil.net', ['example.com', '*.example.com'], false],
    ['https://evil.net/https://example.com', ['example.com'], false],
    ['https://example.com@evil.net', ['example.com'], false],
    ['https://درگاه.example', ['درگاه.example'], true],
    ['example.com', ['example.com'], false],
    [undefined, ['example.com'], false],
    ['null', ['example.com'], false],
  ])('%s against %j: %s', (referrer, referrers, allowed) => {
    expect(verdict(snapshot({ referrers }), { referrer })).toBe(allowed ? 'passed' : 'ip_not_allowed');
  });
});

describe('models', () => {
  const groups = new Map([
    ['cheap', { models: new Set(['a/one', 'a/two']) }],
    ['fast', { models: new Set(['a/two']) }],
  ]);
  const allowed = (key: string[] | null, account: string[] | null, model: string, reference = model) =>
    permitsModel(snapshot({ models: key }, { models: account }), model, reference, groups);

  it.each([
    [null, null, 'a/one', 'a/one', true],
    [[], null, 'a/one', 'a/one', false],
    [['a/one'], null, 'a/one', 'a/one', true],
    [['a/one'], null, 'a/one', 'group:cheap', true],
    [['a/two'], null, 'a/one', 'a/one', false],
    [['group:cheap'], null, 'a/one', 'a/one', true],
    [['group:cheap'], null, 'a/one', 'group:cheap', true],
    [['group:fast'], null, 'a/one', 'group:cheap', false],
    [['group:gone'], null, 'a/one', 'a/one', false],
    [['a/one'], ['a/two'], 'a/one', 'a/one', false],
    [['group:cheap'], ['group:fast'], 'a/two', 'a/two', true],
    [null, ['group:fast'], 'a/one', 'a/one', false],
  ])('key %j, account %j, %s as %s: %s', (key, account, model, reference, expected) => {
    expect(allowed(key, account, model, reference)).toBe(expected);
  });
});

describe('what a chat asks for', () => {
  const asking = (knowledgeBases: string[] | null, knowledgeBaseIds: string[]) => () =>
    checkRequestRules(snapshot({ knowledgeBases }), { svc: { knowledgeBaseIds } } as unknown as ChatRequest);

  it('may be any knowledge base, or those of the list alone', () => {
    expect(asking(null, ['kb'])).not.toThrow();
    expect(asking(['kb', 'other'], ['other', 'kb'])).not.toThrow();
    expect(asking([], [])).not.toThrow();
    expect(asking([], ['kb'])).toThrow(GatewayError);
    expect(asking(['kb'], ['kb', 'other'])).toThrow(
      expect.objectContaining({ options: expect.objectContaining({ param: 'svc.knowledge_base_ids' }) }),
    );
  });
});

describe('the highest price of a key', () => {
  const tiered: Price = {
    version: 'p1',
    perUnit: { inputFresh: 10n, output: 20n },
    perRequest: money(0n),
    tiers: [{ above: 100_000, perUnit: { inputFresh: 30n, output: 40n } }],
  };
  const model = { id: 'mock/tiered', price: tiered };
  const toman = (amount: bigint): Money => money(amount * 1_000_000n);
  const limited = (input: Money | null, output: Money | null) => snapshot({ maxPrice: { input, output } });

  it.each([
    ['nothing is limited', limited(null, null), undefined],
    ['both are at the dearest tier', limited(toman(30n), toman(40n)), undefined],
    ['a long prompt could cost more input', limited(toman(29n), null), { side: 'input', price: '30', limit: '29' }],
    ['a long prompt could cost more output', limited(null, toman(39n)), { side: 'output', price: '40', limit: '39' }],
    ['only free models are allowed', limited(toman(0n), null), { side: 'input', price: '30', limit: '0' }],
  ])('%s', (_name, key, detail) => {
    expect(permitsPrice(key, model)).toBe(detail === undefined);
    if (detail === undefined) return checkPrice(key, model);
    expect(() => checkPrice(key, model)).toThrow(expect.objectContaining({ code: 'price_above_limit' }));
    try {
      checkPrice(key, model);
    } catch (error) {
      expect((error as GatewayError).options.detail).toEqual(detail);
    }
  });
});
