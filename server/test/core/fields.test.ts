/** Declared fields: one place for bounds and words, and everybody who reads or describes them agrees with it. */
import fc from 'fast-check';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/config/settings.ts';
import { GatewayError } from '../../src/core/errors.ts';
import {
  ACCOUNT_RULE_FIELDS,
  CALENDAR_FIELDS,
  CAP_FIELDS,
  type Field,
  type FieldTable,
  KEY_RULE_FIELDS,
  LIMIT_FIELDS,
  LIVE_SETTING_FIELDS,
  MODEL_FIELDS,
  PRICE_FIELDS,
  PROVIDER_FIELDS,
  ROUTE_FIELDS,
  TIMEOUT_FIELDS,
} from '../../src/core/fields/index.ts';
import type { Json } from '../../src/core/json.ts';
import { RULES_IN_ORDER } from '../../src/gateway/chat/dry-run.ts';
import { inputFields } from '../../src/http/openapi/field-schema.ts';
import { readField } from '../../src/keys/read-field.ts';

const TABLES = {
  ACCOUNT_RULE_FIELDS,
  CALENDAR_FIELDS,
  CAP_FIELDS,
  KEY_RULE_FIELDS,
  LIMIT_FIELDS,
  LIVE_SETTING_FIELDS,
  MODEL_FIELDS,
  PRICE_FIELDS,
  PROVIDER_FIELDS,
  ROUTE_FIELDS,
  TIMEOUT_FIELDS,
};
const every = Object.entries(TABLES).flatMap(([table, fields]) =>
  Object.entries(fields as Record<string, Field>).map(([name, field]) => [`${table}.${name}`, field] as const),
);

describe('every declared field', () => {
  it.each(every)('%s has a name and one sentence in both languages', (_, { label, help }) => {
    for (const words of [label, help]) {
      expect(words.fa).toMatch(/[\u0600-\u06ff]/);
      expect(words.en).toMatch(/^[A-Z`]/);
      expect(words.en).not.toMatch(/[\u0600-\u06ff]/);
    }
    expect(help.fa).toMatch(/\.$/);
    expect(help.en).toMatch(/\.$/);
    expect(label.en.length).toBeLessThan(40);
  });

  it.each(every)('%s has bounds that its initial value keeps', (_, field) => {
    if (field.kind !== 'whole') return;
    expect(field.min).toBeLessThan(field.max);
    if (field.initial === undefined) return;
    expect(field.initial).toBeGreaterThanOrEqual(field.min);
    expect(field.initial).toBeLessThanOrEqual(field.max);
  });
});

describe('gates of the rules of a key', () => {
  const leaves = (table: FieldTable): Field[] =>
    Object.values(table).flatMap((field) => (field.kind === 'group' ? leaves(field.fields) : [field]));
  const gates = leaves(KEY_RULE_FIELDS).flatMap(({ label, kind, gate }) => (gate ? [{ label, kind, gate }] : []));

  it('stand for every verdict of the rule tester but those of the body and the wallet, in the same order', () => {
    const verdicts = new Set(gates.flatMap(({ gate }) => gate.verdicts));
    expect([...verdicts]).toEqual(RULES_IN_ORDER.filter((rule) => rule !== 'body' && rule !== 'wallet'));
  });

  it.each(gates)(
    '$label.en: says one sentence in both languages, with its value where it has one',
    ({ kind, gate }) => {
      for (const { fa, en } of [gate.open, gate.set]) {
        expect(fa).toMatch(/[\u0600-\u06ff].*\.$/);
        expect(en).toMatch(/^[A-Z{].*\.$/);
      }
      for (const language of ['fa', 'en'] as const) {
        expect(gate.open[language]).not.toContain('{');
        expect(gate.set[language].split('{}')).toHaveLength(kind === 'flag' ? 1 : 2);
      }
    },
  );
});

describe('reader and published schema', () => {
  const accepts = (field: Field, value: Json): boolean => {
    try {
      readField(field, value, 'x');
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      return false;
    }
  };

  /** Texts of meaning (addresses, times, amounts) are judged by the reader alone; kinds and bounds by both. */
  const both = every.filter(([, { kind }]) => ['whole', 'flag', 'choice'].includes(kind));

  it.each(both)('%s: both take and refuse the same values', (_, field) => {
    const schema = Compile(Type.Object(inputFields({ x: field })));
    const near =
      field.kind === 'whole'
        ? [field.min, field.max, field.min - 1, field.max + 1, field.min + 0.5]
        : field.kind === 'choice'
          ? [...field.values]
          : [];
    const value = fc.oneof(
      fc.constantFrom<Json>(...near, null, true, false, '', 'other', [], {}, 1.5),
      fc.integer({ min: -10, max: 2_000_000_000 }),
    );
    fc.assert(
      fc.property(value, (given) => {
        expect([given, schema.Check({ x: given })]).toEqual([given, accepts(field, given)]);
      }),
      { numRuns: 60, seed: 7 },
    );
  });
});

describe('settings', () => {
  it('begin with the declared values', () => {
    expect(DEFAULT_SETTINGS.limits.maxBodyBytes).toBe(LIMIT_FIELDS.max_body_bytes.initial);
    expect(DEFAULT_SETTINGS.timeouts.firstEventMs).toBe(TIMEOUT_FIELDS.first_event_ms.initial);
    expect(Object.keys(DEFAULT_SETTINGS.limits)).toHaveLength(Object.keys(LIMIT_FIELDS).length);
    expect(Object.values(DEFAULT_SETTINGS.limits).every(Number.isInteger)).toBe(true);
  });
});
