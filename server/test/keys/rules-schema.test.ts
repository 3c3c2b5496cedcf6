import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/core/errors.ts';
import type { Json } from '../../src/core/json.ts';
import { money } from '../../src/core/money.ts';
import {
  ENDPOINTS,
  type KeyRules,
  parseAccountRules,
  parseCalendar,
  parseKeyRules,
  readStoredAccountRules,
  renderAccountRules,
  renderCalendar,
  renderKeyRules,
  UNLIMITED_ACCOUNT,
  UNLIMITED_KEY,
} from '../../src/keys/index.ts';
import { readStoredKeyRules } from '../../src/keys/rules-schema.ts';

function faultOf(parse: () => unknown): { param: string | undefined; status: number; fa: string } | 'accepted' {
  try {
    parse();
    return 'accepted';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { param: error.options.param, status: error.status, fa: error.text('fa') };
  }
}

describe('rules as written', () => {
  it('reads the fields of the example configuration', () => {
    const rules = parseKeyRules(
      {
        default_model: 'mock/chat',
        models: null,
        endpoints: ['chat.completions', 'models'],
        ips: ['10.0.0.0/8'],
        referrers: ['*.Example.com'],
        expires_at: '2027-03-21T00:00:00+03:30',
        paused: false,
        caps: { daily: 1500.5, monthly: '20000', total: 0 },
        rpm: 300,
        tpm: 1_000_000,
        knowledge_bases: ['kb_1'],
      },
      UNLIMITED_ACCOUNT,
    );
    expect(rules).toEqual({
      defaultModel: 'mock/chat',
      models: null,
      endpoints: ['chat.completions', 'models'],
      ips: ['10.0.0.0/8'],
      referrers: ['*.example.com'],
      expiresAt: Date.UTC(2027, 2, 20, 20, 30),
      paused: false,
      caps: { daily: 1_500_500_000n, monthly: 20_000_000_000n, total: 0n },
      rpm: 300,
      tpm: 1_000_000,
      knowledgeBases: ['kb_1'],
    });
  });

  it('keeps what is absent, lifts what is null, and tells 0 from null', () => {
    const present: KeyRules = { ...UNLIMITED_KEY, rpm: 10, tpm: 20, caps: { ...UNLIMITED_KEY.caps, daily: money(5n) } };
    const rules = parseKeyRules({ rpm: null, tpm: 0, caps: { total: 1 } }, UNLIMITED_ACCOUNT, present);
    expect([rules.rpm, rules.tpm]).toEqual([null, 0]);
    expect(rules.caps).toEqual({ daily: 5n, monthly: null, total: 1_000_000n });
    expect(parseKeyRules({ caps: null }, UNLIMITED_ACCOUNT, present).caps.daily).toBe(null);
    expect(parseKeyRules(undefined, UNLIMITED_ACCOUNT, present)).toEqual(present);
  });

  it.each<[Json, string]>([
    [{ budget: 5 }, 'rules.budget'],
    [{ caps: { weekly: 5 } }, 'rules.caps.weekly'],
    [{ caps: 5 }, 'rules.caps'],
    [{ caps: { daily: -1 } }, 'rules.caps.daily'],
    [{ caps: { daily: '1.0000001' } }, 'rules.caps.daily'],
    [{ caps: { daily: 1e14 } }, 'rules.caps.daily'],
    [{ caps: { daily: true } }, 'rules.caps.daily'],
    [{ rpm: -1 }, 'rules.rpm'],
    [{ rpm: 1.5 }, 'rules.rpm'],
    [{ rpm: '60' }, 'rules.rpm'],
    [{ rpm: 1_000_001 }, 'rules.rpm'],
    [{ tpm: 2_000_000_000 }, 'rules.tpm'],
    [{ models: 'a/b' }, 'rules.models'],
    [{ models: ['a/b', 'group:'] }, 'rules.models.1'],
    [{ models: Array.from({ length: 1_001 }, (_, i) => `m/${i}`) }, 'rules.models'],
    [{ endpoints: ['chat'] }, 'rules.endpoints.0'],
    [{ ips: ['10.0.0.0/33'] }, 'rules.ips.0'],
    [{ ips: ['10.1'] }, 'rules.ips.0'],
    [{ ips: ['010.0.0.1'] }, 'rules.ips.0'],
    [{ ips: ['::/129'] }, 'rules.ips.0'],
    [{ referrers: ['https://example.com'] }, 'rules.referrers.0'],
    [{ referrers: ['*'] }, 'rules.referrers.0'],
    [{ expires_at: '2027-02-30' }, 'rules.expires_at'],
    [{ expires_at: 1_800_000_000 }, 'rules.expires_at'],
    [{ expires_at: '2027-13-41T00:00:00Z' }, 'rules.expires_at'],
    [{ paused: 'yes' }, 'rules.paused'],
    [{ paused: null }, 'rules.paused'],
    [{ default_model: '' }, 'rules.default_model'],
    [[], 'rules'],
    ['all', 'rules'],
  ])('refuses %j and names %s', (input, param) => {
    const fault = faultOf(() => parseKeyRules(input, UNLIMITED_ACCOUNT));
    expect(fault).toMatchObject({ param, status: 400 });
    expect(fault === 'accepted' ? '' : fault.fa).toContain(param);
  });

  it('refuses a key limit above its account’s, and allows equal, lower and none', () => {
    const account = parseAccountRules({ rpm: 60, caps: { daily: 100 } });
    expect(faultOf(() => parseKeyRules({ rpm: 61 }, account))).toMatchObject({ param: 'rules.rpm', status: 400 });
    expect(faultOf(() => parseKeyRules({ caps: { daily: '100.000001' } }, account))).toMatchObject({
      param: 'rules.caps.daily',
    });
    for (const rules of [{ rpm: 60 }, { rpm: 0 }, { rpm: null }, { caps: { daily: 100, total: 1e6 } }, {}]) {
      expect(faultOf(() => parseKeyRules(rules, account))).toBe('accepted');
    }
  });

  it('refuses a key’s fields on an account', () => {
    expect(faultOf(() => parseAccountRules({ tpm: 5 }))).toMatchObject({ param: 'rules.tpm' });
  });
});

describe('rules round trip', () => {
  const cap = fc.option(fc.bigInt({ min: 0n, max: 9_000_000_000_000_000_000n }).map(money));
  const names = fc.option(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}\/[a-z0-9.-]{1,12}$/), { maxLength: 4 }));
  const keyRules: fc.Arbitrary<KeyRules> = fc.record({
    models: names,
    endpoints: fc.option(fc.subarray([...ENDPOINTS])),
    caps: fc.record({ daily: cap, monthly: cap, total: cap }),
    rpm: fc.option(fc.integer({ min: 0, max: 1_000_000 })),
    defaultModel: fc.option(fc.stringMatching(/^[a-z]{1,8}\/[a-z]{1,8}$/)),
    ips: fc.option(fc.uniqueArray(fc.ipV4(), { maxLength: 4 })),
    referrers: fc.option(fc.uniqueArray(fc.domain(), { maxLength: 4 })),
    expiresAt: fc.option(fc.integer({ min: 0, max: 4_000_000_000_000 })),
    paused: fc.boolean(),
    tpm: fc.option(fc.integer({ min: 0, max: 1_000_000_000 })),
    knowledgeBases: fc.option(fc.uniqueArray(fc.stringMatching(/^kb_[a-z0-9]{4}$/), { maxLength: 3 })),
  });

  it('loses nothing through JSON, not even a micro-toman', () => {
    fc.assert(
      fc.property(keyRules, (rules) => {
        const stored = JSON.parse(JSON.stringify(renderKeyRules(rules))) as Json;
        expect(parseKeyRules(stored, UNLIMITED_ACCOUNT)).toEqual(rules);
        expect(readStoredKeyRules(stored)).toEqual(rules);
        const { models, endpoints, caps, rpm, paused } = rules;
        expect(readStoredAccountRules(renderAccountRules(rules))).toEqual({ models, endpoints, caps, rpm, paused });
      }),
    );
  });

  it('reads stored rules of a newer version', () => {
    expect(readStoredKeyRules({ ...renderKeyRules(UNLIMITED_KEY), burst: 5 })).toEqual(UNLIMITED_KEY);
  });
});

describe('calendar', () => {
  it('reads, defaults and renders', () => {
    expect(parseCalendar(undefined)).toEqual({ timeZone: 'Asia/Tehran', month: 'jalali' });
    expect(renderCalendar(parseCalendar({ month: 'gregorian' }))).toEqual({
      time_zone: 'Asia/Tehran',
      month: 'gregorian',
    });
    expect(faultOf(() => parseCalendar({ time_zone: 'Mars/Olympus' }))).toMatchObject({ param: 'calendar.time_zone' });
    expect(faultOf(() => parseCalendar({ month: 'lunar' }))).toMatchObject({ param: 'calendar.month' });
    expect(faultOf(() => parseCalendar({ zone: 'UTC' }))).toMatchObject({ param: 'calendar.zone' });
  });
});
