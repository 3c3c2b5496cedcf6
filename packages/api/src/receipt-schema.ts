/**
 * The receipt of a request; the operator's has a few fields more. Columns of the record that a receipt gives as they are stand
 * here by their names; a test of the server holds them against the record (requestlog/record-columns.ts).
 */
import { AUTO_PREFERENCES, AUTO_REASONS } from '@dargah/core/auto-router.ts';
import { CREDIT_STATES } from '@dargah/core/guarantee-states.ts';
import { REQUEST_STATES } from '@dargah/core/request-states.ts';
import Type from 'typebox';
import { AnyJson, nullable, responseObject, Time, Toman } from './building-blocks.ts';
import { DataDemandSchema, DataPolicySchema } from './schemas/data-policy-schemas.ts';

export const CUSTOMER_COLUMNS = {
  key_id: Type.String(),
  endpoint: Type.String(),
  model: Type.String(),
  stream: Type.Boolean(),
  held: Toman,
  cost: Toman,
  duration_ms: Type.Integer(),
  user: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  response_cache: nullable(Type.String()),
  cache_saved: Toman,
  /**
   * The batch that the request was a line of, and the share of the usual price it costs; the lines of the formula have
   * this price.
   */
  batch: nullable(Type.String()),
  price_percent: nullable(Type.Integer()),
  first_event_ms: nullable(Type.Integer()),
  retrieved_tokens: Type.Integer(),
  warnings: Type.Array(Type.String()),
  guarantee: nullable(Type.String()),
  repair: Type.Array(Type.String()),
};

export const OPERATOR_COLUMNS = {
  account_id: Type.String(),
  provider: nullable(Type.String()),
  counters: Type.Array(Type.String()),
  provider_cost: nullable(Toman),
};

export const CONTINUES = Type.Literal(true, {
  description: 'It went on with the answer where the provider before it had broken off. Charged once, as one answer.',
});

const attempt = {
  provider: Type.String(),
  outcome: Type.String(),
  status: nullable(Type.Integer()),
  started_at: Time,
  first_event_ms: nullable(Type.Number()),
  duration_ms: Type.Number(),
  continues: Type.Optional(CONTINUES),
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

export const RECEIPT_USAGE = {
  usage: nullable(
    responseObject({
      prompt_tokens: Type.Number(),
      completion_tokens: Type.Number(),
      total_tokens: Type.Number(),
      buckets: Type.Record(Type.String(), Type.Number()),
      service_tier: Type.Optional(
        Type.String({ description: 'The service tier that tokens were charged by; absent: the normal one.' }),
      ),
    }),
  ),
  usage_source: nullable(Type.Enum(['upstream', 'estimated'])),
};

export const RECEIPT_PRICE = {
  price: responseObject({
    version: Type.String(),
    lines: Type.Array(
      responseObject({ bucket: Type.String(), units: Type.Number(), toman_per_million: Type.String(), amount: Toman }),
    ),
  }),
  formula: Type.String({ examples: ['1200 × 15000 + 400 × 60000 = 42000000 µT'] }),
};

export const RECEIPT_CREDIT = {
  guarantee_credit: Type.Optional(
    responseObject(
      { state: Type.Enum([...CREDIT_STATES], { title: 'GuaranteeCreditState' }), amount: Toman },
      'GuaranteeCredit',
    ),
  ),
};

export const RoutingSchema = responseObject(
  {
    auto: nullable(
      responseObject({
        prefer: Type.Enum([...AUTO_PREFERENCES]),
        candidates: Type.Array(
          responseObject({
            model: Type.String(),
            reason: Type.Enum(Object.keys(AUTO_REASONS) as (keyof typeof AUTO_REASONS)[]),
            text: responseObject({ fa: Type.String(), en: Type.String() }),
          }),
          { description: 'Every model that `auto` looked at, the chosen one first, and why it stands where it does.' },
        ),
      }),
    ),
    own_key: nullable(
      responseObject({
        id: Type.String({ description: 'Of the account’s own key at a provider, which was asked first.' }),
        fee_percent: Type.Integer({ description: 'Of the usual price, where it answered.' }),
        answered: Type.Boolean({ description: 'False: it did not answer, and what did is charged at its price.' }),
      }),
    ),
    data: nullable(
      responseObject({
        demanded: Type.Array(DataDemandSchema, { description: 'By the rule of the key, by the request, or by both.' }),
        stated: nullable(DataPolicySchema),
      }),
    ),
  },
  'ReceiptRouting',
);

const receipt = {
  object: Type.Literal('request'),
  id: Type.String(),
  created_at: Time,
  ...CUSTOMER_COLUMNS,
  state: Type.Enum([...REQUEST_STATES]),
  status: nullable(Type.Integer()),
  error: nullable(responseObject({ code: Type.String() })),
  ...RECEIPT_USAGE,
  routing: nullable(RoutingSchema),
  passages: Type.Array(UsedPassage, { description: 'What knowledge bases put into the prompt, by name.' }),
  ...RECEIPT_PRICE,
  ...RECEIPT_CREDIT,
};

export const Receipt = responseObject({ ...receipt, attempts: Type.Array(responseObject(attempt)) }, 'Receipt');

export const OperatorReceipt = responseObject(
  {
    ...receipt,
    ...OPERATOR_COLUMNS,
    usage_raw: AnyJson,
    plan: Type.Array(Type.String()),
    attempts: Type.Array(
      responseObject({
        ...attempt,
        route: Type.String(),
        credential: Type.String(),
        cause: nullable(Type.String()),
        provider_cost: Type.Optional(Toman),
      }),
    ),
  },
  'OperatorReceipt',
);
