/**
 * The schema of a declared field (packages/core/src/fields): its bounds for validation, its texts in both languages for
 * the document.
 */

import type { Field, FieldTable } from '@dargah/core/fields/index.ts';
import Type, {
  type TArray,
  type TBoolean,
  type TEnum,
  type TInteger,
  type TNull,
  type TObject,
  type TOptional,
  type TSchema,
  type TString,
  type TUnion,
} from 'typebox';
import { inputObject, nullable, responseObject, Toman, TomanInput } from './building-blocks.ts';

type Amount = typeof TomanInput | typeof Toman;

type Plain<F extends Field, A extends Amount> = F extends { kind: 'whole' }
  ? TInteger
  : F extends { kind: 'flag' }
    ? TBoolean
    : F extends { kind: 'toman' }
      ? A
      : F extends { kind: 'list'; values: infer V extends readonly string[] }
        ? TArray<TEnum<[...V]>>
        : F extends { kind: 'list' }
          ? TArray<TString>
          : F extends { kind: 'choice'; values: infer V extends readonly string[] }
            ? TEnum<[...V]>
            : F extends { kind: 'group'; fields: infer T extends FieldTable }
              ? TObject<Schemas<T, A>>
              : TString;
type OrNull<F extends Field, S extends TSchema> = F extends { nullable: true } ? TUnion<[S, TNull]> : S;

export type Schemas<T extends FieldTable, A extends Amount> = {
  -readonly [Name in keyof T]: TOptional<OrNull<T[Name], Plain<T[Name], A>>>;
};

type Present<T extends FieldTable> = {
  -readonly [Name in keyof T]: OrNull<T[Name], Plain<T[Name], typeof Toman>>;
};

/** Fields in a request: each may be left out, unknown ones are refused. */
export function inputFields<T extends FieldTable>(table: T): Schemas<T, typeof TomanInput> {
  return schemasOf(table, TomanInput) as Schemas<T, typeof TomanInput>;
}

/** Fields in an answer. */
export function responseFields<T extends FieldTable>(table: T): Schemas<T, typeof Toman> {
  return schemasOf(table, Toman) as Schemas<T, typeof Toman>;
}

/** Fields in an answer that always has all of them. */
export function alwaysShown<T extends FieldTable>(table: T): Present<T> {
  const entries = Object.entries(table).map(([name, field]) => [name, schemaOf(field, Toman)] as const);
  return Object.fromEntries(entries) as Present<T>;
}

function schemasOf(table: FieldTable, amount: Amount): Record<string, TSchema> {
  const entries = Object.entries(table).map(([name, field]) => [name, Type.Optional(schemaOf(field, amount))] as const);
  return Object.fromEntries(entries);
}

function schemaOf(field: Field, amount: Amount): TSchema {
  const plain = plainOf(field, amount);
  return field.nullable ? nullable(plain) : plain;
}

function plainOf(field: Field, amount: Amount): TSchema {
  const words = wordsOf(field);
  switch (field.kind) {
    case 'whole':
      return Type.Integer({ minimum: field.min, maximum: field.max, ...initialOf(field), ...words });
    case 'flag':
      return Type.Boolean({ ...initialOf(field), ...words });
    case 'toman':
      // An amount in a request has a description of its own; amounts in answers share one component of the document.
      return amount === TomanInput ? Type.Union([Type.String({ maxLength: 40 }), Type.Number()], words) : amount;
    case 'text':
      return Type.String({ minLength: field.minLength, maxLength: field.maxLength, ...words });
    case 'time':
      // Dates of the Jalali calendar are taken, too.
      return Type.String({ ...(amount === TomanInput ? { maxLength: 64 } : { format: 'date-time' }), ...words });
    case 'choice':
      return Type.Enum([...field.values], { ...initialOf(field), ...words });
    case 'list': {
      const entry = field.values ? Type.Enum([...field.values]) : Type.String({ maxLength: field.maxLength });
      return Type.Array(entry, { maxItems: field.maxItems, ...words });
    }
    case 'group':
      return amount === TomanInput
        ? inputObject(inputFields(field.fields))
        : responseObject(responseFields(field.fields));
  }
}

function initialOf({ initial }: { initial?: unknown }): { default?: unknown } {
  return initial === undefined ? {} : { default: initial };
}

function wordsOf(field: Field): Record<string, unknown> {
  return {
    description: field.help.en,
    'x-description-fa': field.help.fa,
    'x-label': field.label,
    ...('unit' in field ? { 'x-unit': field.unit } : {}),
  };
}
