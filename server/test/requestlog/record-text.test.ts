import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { money } from '../../src/core/money.ts';
import type { CostLine } from '../../src/core/price.ts';
import {
  AMOUNT,
  COUNTERS,
  DAY,
  FLAG,
  INSTANT,
  INTEGER,
  OPTIONAL_AMOUNT,
  OPTIONAL_TEXT,
  TEXT,
} from '../../src/requestlog/column-kinds.ts';
import {
  ATTEMPTS,
  COUNT,
  FIRST_EVENT,
  FORMULA,
  OPTIONAL_NUMBER,
  OPTIONAL_STRING,
  ROUTING,
  SIGNED_AMOUNT,
  STRINGS,
  USAGE,
} from '../../src/requestlog/detail-kinds.ts';
import { decodeRecord, encodeRecord, killedRecord, RECORD, withoutDetail } from '../../src/requestlog/index.ts';
import { SHARED_SEPARATOR } from '../../src/requestlog/line-formats.ts';
import { PLAN } from '../../src/requestlog/plan-text.ts';
import { OWN_COLUMNS, SHARED_COLUMNS } from '../../src/requestlog/record-text.ts';
import { record, startRecord } from '../ledger/request-fixture.ts';

describe('the text of a request', () => {
  it('comes back as it was, whatever well-formed text is in it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => !value.includes('\u0000'));
    fc.assert(
      fc.property(text, text, fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.array(text), (user, cause, cost, plan) => {
        const [attempt] = record('req_1').attempts;
        if (!attempt) throw new Error('the fixture has an attempt');
        const whole = record('req_1', { user, cost: money(cost), plan, attempts: [{ ...attempt, cause }] });
        expect(decodeRecord(encodeRecord(whole))).toEqual(whole);
      }),
    );
  });

  it('comes back with any plan and whatever a provider reports, in a known shape or not', () => {
    const name = fc.constantFrom(
      'prompt_tokens',
      'completion_tokens',
      'total_tokens',
      'prompt_tokens_details',
      'cached_tokens',
      'x,{',
    );
    const value = fc.oneof(
      fc.nat(),
      fc.constant(null),
      fc.constant('5,"'),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    const raw = fc.dictionary(name, fc.oneof(value, fc.dictionary(name, value), fc.array(fc.nat())));
    const usual = fc
      .tuple(
        fc.constantFrom('openai/gpt', 'openai/gpt#c1', 'b'),
        fc.nat(3),
        fc.constantFrom(0, 1, 0.5, 0.33),
        fc.nat(9),
        fc.option(fc.nat()),
      )
      .map(
        ([id, priority, weight, running, ms]) =>
          `${id}: priority ${priority}, weight ${weight}, ${running} running${ms === null ? '' : `, first event ${ms} ms`}`,
      );
    const line = fc.oneof(
      usual,
      fc.string(),
      usual.map((text) => `${text}, provider full`),
    );
    fc.assert(
      fc.property(raw, fc.array(line), fc.option(fc.nat()), (reported, lines, firstEventMs) => {
        const known = record('req_1').usage;
        if (!known) throw new Error('the fixture has usage');
        const plan = lines.map((text, at) => (text.includes(':') ? `${at + 1}. ${text}` : text));
        const plain = JSON.parse(JSON.stringify(reported));
        const whole = record('req_1', { usage: { ...known, raw: plain }, plan, firstEventMs });
        expect(decodeRecord(encodeRecord(whole))).toEqual(whole);
      }),
    );
  });

  it('an object that vendors report comes back from its shape, in the same order', () => {
    const reports = [
      '{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}',
      '{"prompt_tokens":1,"completion_tokens":20,"total_tokens":120}',
      '{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}',
      '{"input_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":2,"service_tier":"standard"}',
      '{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3}',
    ];
    for (const raw of reports) {
      const known = record('req_1').usage;
      if (!known) throw new Error('the fixture has usage');
      const text = encodeRecord(record('req_1', { usage: { ...known, raw: JSON.parse(raw) } }));
      expect(text).not.toContain('okens"');
      expect(JSON.stringify(decodeRecord(text)?.usage?.raw)).toBe(raw);
    }
  });

  it('is one line without what PostgreSQL cannot store, and has all columns, whatever comes from outside', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (odd) => {
        const nasty = `${odd}\u0000\t\n\r\f\ud800\\`;
        const text = encodeRecord(record('req_1', { user: nasty, model: nasty, plan: [nasty] }));
        expect(text).not.toMatch(/[\0\n\r]/);
        const parts = text.split('\t');
        expect(parts).toHaveLength(OWN_COLUMNS.length + 2);
        const shared = parts[3] ?? '';
        expect(shared.split(SHARED_SEPARATOR)).toHaveLength(SHARED_COLUMNS.length);
        expect(decodeRecord(text)).toMatchObject({ user: nasty, plan: [nasty], status: 200, cost: 500n });
        expect(withoutDetail(text)).toBe(text.slice(0, text.indexOf('{')));
      }),
    );
  });

  it('a formula comes back with prices beyond exact numbers, a price per request and units that are not in the usage', () => {
    const line = (bucket: CostLine['bucket'], units: number, unitPrice: bigint): CostLine => ({
      bucket,
      units,
      unitPrice,
      amount: money(BigInt(units) * unitPrice),
    });
    const formula = [line('output', 20, 10n ** 30n), line('inputFresh', 99, 3n), line('request', 1, 7n)];
    expect(decodeRecord(encodeRecord(record('req_1', { formula })))?.formula).toEqual(formula);
  });

  it('comes back with what is usually absent, too', () => {
    const [attempt] = record('req_1').attempts;
    if (!attempt) throw new Error('the fixture has an attempt');
    const attempts = [
      { ...attempt, outcome: 'hedge-lost', status: null, firstEventMs: null, providerCost: '0.5' },
      { ...attempt, cause: 'به پایان رسید', providerCost: '1' },
      { ...attempt, continues: true as const, providerCost: '2' },
      { ...attempt, continues: true as const, egress: 'proxy' },
    ];
    const whole = record('req_1', { attempts, retrievedTokens: 7, warnings: ['w "1"'], usage: null, provider: null });
    Object.assign(whole, { errorCode: 'upstream_error', providerCost: null, formula: [], plan: [], counters: [] });
    expect(decodeRecord(encodeRecord(whole))).toEqual(whole);
    const refused = record('req_2', { model: '', priceVersion: '', keyId: '' });
    expect(decodeRecord(encodeRecord(refused))).toEqual(refused);
  });

  it('names a document once, however many of its passages were read', () => {
    const passages = [1, 2, 3].map((place) => ({
      baseId: 'kb_1',
      documentId: 'doc_1',
      revision: 1,
      title: 'handbook.md',
      place,
      page: place === 2 ? 7 : null,
      heading: place === 3 ? 'مرخصی' : null,
      tokens: 12,
      score: 0.5,
    }));
    const text = encodeRecord(record('req_1', { passages }));
    expect(text.split('handbook.md')).toHaveLength(2);
    expect(decodeRecord(text)?.passages).toEqual(passages);
  });

  it('an opening comes back as a running request, and its killed record costs nothing', () => {
    const whole = startRecord('req_1', { user: 'u' });
    const read = decodeRecord(encodeRecord(whole));
    expect(read).toMatchObject({ ...whole, state: 'running', cost: 0n, counters: [], usage: null, attempts: [] });
    if (!read) throw new Error('an opening is a record');
    expect(killedRecord(read)).toMatchObject({ ...whole, state: 'interrupted', errorCode: 'killed', cost: 0n });
  });

  it("takes the UTC day when the account's own is not given", () => {
    const { day: _day, ...without } = startRecord('req_1', { createdAt: Date.parse('2026-12-31T23:59:59.999Z') });
    expect(decodeRecord(encodeRecord(without))?.day).toBe('2026-12-31');
    expect(decodeRecord(encodeRecord({ ...without, createdAt: without.createdAt + 1 }))?.day).toBe('2027-01-01');
  });

  it("takes the day of the account's own calendar from its daily counter", () => {
    const { day: _day, ...without } = record('req_1', {
      createdAt: Date.parse('2026-11-15T22:00:00Z'),
      counters: ['cap:key:k1:daily:2026-11-16', 'cap:account:a:b:daily:2026-11-16'],
    });
    expect(decodeRecord(encodeRecord(without))?.day).toBe('2026-11-16');
  });

  it('writes the periods of key and account once, and counters of any other form as they are', () => {
    const periods = ['daily:2026-11-15', 'monthly:1405-08', 'total:total'];
    const named = (key: string, account: string, of = periods) => [
      ...of.map((period) => `cap:key:${key}:${period}`),
      ...of.map((period) => `cap:account:${account}:${period}`),
    ];
    const usual = encodeRecord(record('req_1', { counters: named('k1', 'acme') }));
    expect(usual).toContain('*:daily:2026-11-15 *:monthly:1405-08 *:total:total\t');
    const days = encodeRecord(record('req_1', { counters: named('k1', 'acme', ['daily:2026-11-15', 'total:total']) }));
    expect(days).toContain('\f*:daily:2026-11-15 *:total:total\t');
    const lists = [
      named('k1', 'acme'),
      named('k1', 'acme').reverse(),
      named('k2', 'acme'),
      named('k1', 'acm'),
      named('k1', 'acme').slice(1),
      named('k1', 'acme').slice(0, 3),
      ['c1', 'c2'],
      [],
    ];
    for (const counters of lists) {
      expect(decodeRecord(encodeRecord(record('req_1', { counters })))?.counters).toEqual(counters);
      // The same list of another caller is not taken for its own.
      const other = record('req_1', { counters, keyId: 'k2', accountId: 'other' });
      expect(decodeRecord(encodeRecord(other))?.counters).toEqual(counters);
    }
  });

  it('is not confused by text that is not a request', () => {
    expect(decodeRecord('nonsense')).toBeUndefined();
    expect(decodeRecord('[1]')).toBeUndefined();
    expect(decodeRecord(encodeRecord(record('req_1')).replace('\f', '\f\f'))).toBeUndefined();
  });
});

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((text) => !/[\0\t\n\r\f]/.test(text));
const amount = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(money);
const count = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const usage = fc.record({ source: fc.constant('estimated'), buckets: fc.record({ output: count }) });

/** Values by kind: a column of one of these kinds is tried without a word here. */
const VALUES_OF_KIND = new Map<unknown, fc.Arbitrary<unknown>>([
  [TEXT, name],
  [OPTIONAL_TEXT, fc.option(name)],
  [FLAG, fc.boolean()],
  [INTEGER, count],
  [AMOUNT, amount],
  [OPTIONAL_AMOUNT, fc.option(amount)],
  [COUNTERS, fc.array(fc.stringMatching(/^[a-z:]{1,9}$/), { maxLength: 4 })],
  [INSTANT, fc.integer({ min: 1, max: 4_000_000_000_000 })],
  [DAY, fc.constantFrom('2026-11-15', '1999-01-01')],
  [OPTIONAL_STRING, fc.option(fc.string({ unit: 'grapheme' }))],
  [STRINGS, fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 4 })],
  [COUNT, count],
  [SIGNED_AMOUNT, fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(money)],
  [OPTIONAL_NUMBER, fc.option(count)],
  [FIRST_EVENT, fc.option(count)],
  [PLAN, fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 4 })],
  [USAGE, fc.option(usage)],
  [FORMULA, fc.constantFrom([], [{ bucket: 'output', units: 5, unitPrice: 7n, amount: money(35n) }])],
  [ROUTING, fc.constantFrom(null, { ownKey: { id: 'ownk_1', feePercent: 5, answered: true } })],
  [ATTEMPTS, fc.constantFrom([], record('req_1').attempts)],
]);
/** Of kinds that are a field's own. */
const VALUES_OF_FIELD: Record<string, fc.Arbitrary<unknown>> = {
  id: fc.stringMatching(/^req_[a-z0-9]{4,20}$/),
  endpoint: fc.constantFrom('chat.completions', 'embeddings'),
  state: fc.constantFrom('completed', 'interrupted', 'client_closed', 'failed', 'refused'),
  passages: fc.array(
    fc.record({
      baseId: fc.constantFrom('kb_1', 'kb_2'),
      documentId: fc.constantFrom('doc_1', 'doc_2'),
      revision: fc.constantFrom(1, 2),
      title: fc.oneof(fc.constant('a.md'), fc.string({ unit: 'grapheme', maxLength: 30 })),
      place: count,
      page: fc.option(count),
      heading: fc.option(fc.string({ unit: 'grapheme', maxLength: 30 })),
      tokens: count,
      score: fc.constantFrom(1, 0.9919, 0),
    }),
    { maxLength: 6 },
  ),
};

describe('what nearly every request says takes a few bytes', () => {
  const { attempts, ...rest } = record('req_1');
  const written = (plan: string[]) => PLAN.write(plan, { ...rest, attempts });
  const route = attempts[0]?.route;

  it.each([
    [`1. ${route}: priority 1, weight 1, 3 running, first event 212 ms`, '[[3,212]]'],
    [`1. ${route}: priority 1, weight 1, 3 running`, '[[3]]'],
    [`1. ${route}: priority 2, weight 1, 3 running`, '[[3,null,0,2,1]]'],
    [`1. other: priority 1, weight 1, 3 running`, '[[3,null,"other",1,1]]'],
    [`1. ${route}: priority 1, weight 1, 03 running`, `["1. ${route}: priority 1, weight 1, 03 running"]`],
    [`1. ${route}: priority 1, weight 1, 3 running, full`, `["1. ${route}: priority 1, weight 1, 3 running, full"]`],
  ])('%s', (line, expected) => {
    expect(written([line])).toBe(expected);
  });

  it.each([
    [{ prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 }, ',0]'],
    [{ prompt_tokens: 20, completion_tokens: 8, total_tokens: 29 }, ',null,["c",20,8,29]]'],
    [{ completion_tokens: 8, prompt_tokens: 20, total_tokens: 28 }, '{"completion_tokens":8,"prompt_tokens":20'],
    [{ prompt_tokens: 20, completion_tokens: 8 }, '{"prompt_tokens":20,"completion_tokens":8}'],
  ])('reported %j', (raw, expected) => {
    const text = USAGE.write({ source: 'upstream', buckets: { inputFresh: 20, output: 8 }, raw }, rest);
    expect(text).toContain(expected);
  });
});

describe.each(Object.entries(RECORD))('%s', (field, { kind }) => {
  it('comes back from the line, whatever it is, and changes nothing else', () => {
    const values = VALUES_OF_FIELD[field] ?? VALUES_OF_KIND.get(kind);
    if (!values) throw new Error(`give the kind of ${field} values to try in this file`);
    fc.assert(
      fc.property(values, (value) => {
        const whole = record('req_1', { [field]: value });
        // The start of an attempt is written relative to the request's.
        expect(decodeRecord(encodeRecord(whole))).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });
});
