/**
 * The documented order of rules: of two rules a request breaks, the earlier one is named. All pairs are tried, each with a
 * key and account of its own. Refused requests must have taken nothing, which the headers of the same responses tell.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { expectError } from './expect-error.ts';
import { type OrderedRule, RULES, VERDICTS, verdictsWith } from './rules-in-order.ts';

/** A model that is not known can neither be permitted nor capable of anything. */
const IMPOSSIBLE = new Set(['7 model resolved + 8 model permitted', '7 model resolved + 9 capability']);

const PAIRS = RULES.flatMap((first, i) => RULES.slice(i + 1).map((second) => ({ first, second })))
  .map((pair, index) => ({ ...pair, name: `${pair.first.name} + ${pair.second.name}`, keyText: `dg-pair-${index}` }))
  .filter(({ name }) => !IMPOSSIBLE.has(name));

const ROOM = 5;
const single = RULES.filter((rule) => !rule.unknownKey).map((rule, index) => ({ rule, keyText: `dg-single-${index}` }));

let gateway: TestGateway;
let vendor: FakeVendor;

beforeAll(async () => {
  vendor = await startFakeVendor();
  gateway = await startGateway({ vendor, config: { accounts: accounts() } });
});
afterAll(async () => {
  await gateway.stop();
  await vendor.close();
});

function accounts(): object[] {
  const byAccount = new Map<string, object[]>([['rich', [{ id: 'main', key: 'dg-test-main' }]]]);
  const put = (keyText: string, rules: OrderedRule[], more: object = {}) => {
    const account = rules.flatMap((rule) => rule.account ?? []).join('-') || 'rich';
    const merged = Object.assign({}, more, ...rules.map((rule) => rule.key));
    byAccount.set(account, [...(byAccount.get(account) ?? []), { id: keyText, key: keyText, rules: merged }]);
  };
  for (const { first, second, keyText } of PAIRS) put(keyText, [first, second]);
  for (const { rule, keyText } of single) put(keyText, [rule], rule.account === 'stopped' ? {} : { rpm: ROOM });
  return [...byAccount].map(([id, keys]) => ({
    id,
    balance: id.includes('poor') ? 0 : 100_000,
    rules: { rpm: id.includes('stopped') ? 0 : null },
    keys,
  }));
}

function ask(rules: OrderedRule[], keyText: string): Promise<Response> {
  const body = Object.assign(
    { model: 'mock/chat', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] },
    // The earlier rule's request wins where both change the same field.
    ...rules.toReversed().map((rule) => rule.body),
  );
  return gateway.chat(body, { key: rules.some((rule) => rule.unknownKey) ? `${keyText}-unknown` : keyText });
}

describe('of two broken rules the earlier is named', () => {
  it.each(PAIRS)('$name', async ({ first, second, keyText }) => {
    const error = await expectError(await ask([first, second], keyText), first.code);
    if (first.limit !== undefined) expect(error['limit']).toBe(first.limit);
    if (first.param !== undefined) expect(error.param).toBe(first.param);
  });
});

describe('a dry run names the same rule', () => {
  const afterBody = single.filter(({ rule }) => VERDICTS.indexOf(rule.verdict ?? '') > VERDICTS.indexOf('body'));

  it.each(afterBody)('$rule.name', async ({ rule, keyText }) => {
    const asked = { ...rule, body: { ...rule.body, svc: { ...rule.body?.svc, dry_run: true } } };
    const { rules } = (await (await ask([asked], keyText)).json()) as { rules: { rule: string; verdict: string }[] };
    const told = rules.map(({ rule: name, verdict }) => `${name} ${verdict}`);
    expect(told).toEqual(verdictsWith(rule.verdict ?? '').slice(VERDICTS.indexOf('model')));
  });
});

describe('a refused request takes no slot and no money', () => {
  const unlimited = single.filter(({ rule }) => rule.limit !== 'rpm' && rule.limit !== 'account_rpm');

  it.each(unlimited)('$rule.name', async ({ rule, keyText }) => {
    for (let attempt = 0; attempt < ROOM + 2; attempt++) {
      const response = await ask([rule], keyText);
      expect(response.headers.get('x-ratelimit-limit-requests')).toBe(String(ROOM));
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe(String(ROOM));
      expect(response.headers.get('x-svc-cost')).toBeNull();
      const error = await expectError(response, rule.code);
      if (rule.limit !== undefined) expect(error['limit']).toBe(rule.limit);
    }
  });

  it('and the wallet is as full as before, and no provider was asked', async () => {
    const key = (await (await gateway.fetch('/api/v1/key')).json()) as { wallet: object };
    expect(key.wallet).toEqual({ balance: '100000', held: '0', available: '100000' });
    expect(vendor.requests).toHaveLength(0);
  });
});
