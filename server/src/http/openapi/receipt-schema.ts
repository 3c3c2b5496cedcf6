/**
 * The receipt of a request; the operator's has a few fields more. Columns that are given as they are described here by their
 * kinds (requestlog/record-columns.ts); the rest is written out.
 */
import Type, {
  type TArray,
  type TBoolean,
  type TInteger,
  type TNull,
  type TSchema,
  type TString,
  type TUnion,
} from 'typebox';
import {
  FOR_CUSTOMER,
  FOR_OPERATOR,
  type RECORD,
  type RequestRecord,
  type ShownColumn,
} from '../../requestlog/index.ts';
import { AnyJson, nullable, responseObject, Time, Toman } from './building-blocks.ts';

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : Name;

type PlainSchema<V> = [V] extends [string]
  ? TString
  : [V] extends [boolean]
    ? TBoolean
    : [V] extends [number]
      ? TInteger
      : [V] extends [bigint]
        ? typeof Toman
        : TArray<TString>;
type SchemaFor<V> = null extends V ? TUnion<[PlainSchema<NonNullable<V>>, TNull]> : PlainSchema<V>;

type Columns = typeof RECORD;
type ColumnsFor<Reader> = {
  [F in keyof Columns as Columns[F] extends { shownTo: Reader } ? Snake<F> : never]: SchemaFor<RequestRecord[F]>;
};

const KINDS: Record<ShownColumn['as'], TSchema> = {
  text: Type.String(),
  texts: Type.Array(Type.String()),
  flag: Type.Boolean(),
  whole: Type.Integer(),
  toman: Toman,
};

function columnSchemas<Reader>(columns: readonly ShownColumn[]): ColumnsFor<Reader> {
  const entries = columns.map(({ name, as, nullable: isNullable }) => [
    name,
    isNullable ? nullable(KINDS[as]) : KINDS[as],
  ]);
  return Object.fromEntries(entries) as ColumnsFor<Reader>;
}

const attempt = {
  provider: Type.String(),
  outcome: Type.String(),
  status: nullable(Type.Integer()),
  started_at: Time,
  first_event_ms: nullable(Type.Number()),
  duration_ms: Type.Number(),
};

export const UsedPassage = responseObject(
  {
    index: Type.Integer({ description: 'The number it is cited by in the answer.' }),
    knowledge_base_id: Type.String(),
    document_id: Type.String(),
    revision: Type.Integer({ description: 'Of the document when the passage was read.' }),
    title: Type.String({ description: "The document's name at that time; a long one is shortened." }),
    place: Type.Integer({ description: 'Its place in the document, from 1.' }),
    page: nullable(Type.Integer()),
    heading: nullable(Type.String()),
    tokens: Type.Integer({ description: 'Of its text; `retrieved_tokens` also counts the words around all passages.' }),
    score: Type.Number(),
  },
  'UsedPassage',
);

const receipt = {
  object: Type.Literal('request'),
  id: Type.String(),
  created_at: Time,
  ...columnSchemas<'customer'>(FOR_CUSTOMER),
  state: Type.Enum(['running', 'completed', 'interrupted', 'client_closed', 'failed', 'refused']),
  status: nullable(Type.Integer()),
  error: nullable(responseObject({ code: Type.String() })),
  usage: nullable(
    responseObject({
      prompt_tokens: Type.Number(),
      completion_tokens: Type.Number(),
      total_tokens: Type.Number(),
      buckets: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
  usage_source: nullable(Type.Enum(['upstream', 'estimated'])),
  passages: Type.Array(UsedPassage, { description: 'What knowledge bases put into the prompt, by name.' }),
  price: responseObject({
    version: Type.String(),
    lines: Type.Array(
      responseObject({ bucket: Type.String(), units: Type.Number(), toman_per_million: Type.String(), amount: Toman }),
    ),
  }),
  formula: Type.String({ examples: ['1200 × 15000 + 400 × 60000 = 42000000 µT'] }),
};

export const Receipt = responseObject({ ...receipt, attempts: Type.Array(responseObject(attempt)) }, 'Receipt');

export const OperatorReceipt = responseObject(
  {
    ...receipt,
    ...columnSchemas<'operator'>(FOR_OPERATOR),
    usage_raw: AnyJson,
    plan: Type.Array(Type.String()),
    attempts: Type.Array(
      responseObject({ ...attempt, route: Type.String(), credential: Type.String(), cause: nullable(Type.String()) }),
    ),
  },
  'OperatorReceipt',
);
