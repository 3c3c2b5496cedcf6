import {
  ACCOUNT_RULE_FIELDS,
  type Field,
  type FieldTable,
  KEY_RULE_FIELDS,
  type ListField,
} from '@dargah/core/fields/index.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/core/errors.ts';
import { type Json, type JsonObject, parseJson } from '../../src/core/json.ts';
import { money, toTomanText } from '../../src/core/money.ts';
import {
  ENDPOINTS,
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
import type { KeyRules } from '../../src/keys/rules.ts';
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
      ...UNLIMITED_KEY,
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
  const TEXTS: Record<ListField['entry'], fc.Arbitrary<string>> = {
    text: fc.string({ minLength: 1, maxLength: 20 }),
    model: fc.stringMatching(/^[a-z]{1,8}\/[a-z0-9.-]{1,12}$/),
    endpoint: fc.constantFrom(...ENDPOINTS),
    address: fc.ipV4(),
    host: fc.domain(),
    'knowledge-base': fc.stringMatching(/^kb_[a-z0-9]{4}$/),
    region: fc.stringMatching(/^[a-z]{2}$/),
    slug: fc.stringMatching(/^[a-z][a-z0-9_.-]{0,9}$/),
  };
  /** As it is given: a rule that is added is tried without a word here. */
  const given = (field: Field): fc.Arbitrary<Json> => {
    const values = (): fc.Arbitrary<Json> => {
      switch (field.kind) {
        case 'whole':
          return fc.integer({ min: field.min, max: field.max });
        case 'toman':
          return fc.bigInt({ min: 0n, max: 9_000_000_000_000_000_000n }).map((amount) => toTomanText(money(amount)));
        case 'flag':
          return fc.boolean();
        case 'text':
          return fc.string({ minLength: field.minLength, maxLength: field.maxLength });
        case 'time':
          return fc.integer({ min: 0, max: 4_000_000_000_000 }).map((at) => new Date(at).toISOString());
        case 'choice':
          return fc.constantFrom(...field.values);
        case 'list':
          return fc.uniqueArray(field.values ? fc.constantFrom(...field.values) : TEXTS[field.entry], { maxLength: 4 });
        case 'group':
          return givenTable(field.fields);
      }
    };
    return field.nullable && field.kind !== 'group' ? fc.option(values()) : values();
  };
  const givenTable = (table: FieldTable): fc.Arbitrary<JsonObject> =>
    fc.record(Object.fromEntries(Object.entries(table).map(([name, field]) => [name, given(field)])));

  it('loses nothing through JSON, not even a micro-toman', () => {
    fc.assert(
      fc.property(givenTable(KEY_RULE_FIELDS), (written) => {
        const rules = parseKeyRules(written, UNLIMITED_ACCOUNT);
        const rendered = renderKeyRules(rules);
        expect(rendered).toEqual(written);
        expect(readStoredKeyRules(parseJson(JSON.stringify(rendered)))).toEqual(rules);
        const ofAccount = { ...written, upstream_echo: true };
        const shared = Object.fromEntries(
          Object.keys(ACCOUNT_RULE_FIELDS).map((name) => [name, (ofAccount as JsonObject)[name] ?? null]),
        );
        expect(renderAccountRules(readStoredAccountRules(shared))).toEqual(shared);
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
