/** The receipt of a request; the operator's has a few fields more. */
import Type from 'typebox';
import { AnyJson, nullable, shown, Time, Toman } from './building-blocks.ts';

const attempt = {
  provider: Type.String(),
  outcome: Type.String(),
  status: nullable(Type.Integer()),
  started_at: Time,
  first_event_ms: nullable(Type.Number()),
  duration_ms: Type.Number(),
};

export const UsedPassage = shown(
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
  key_id: Type.String(),
  endpoint: Type.String(),
  model: Type.String(),
  stream: Type.Boolean(),
  user: nullable(Type.String()),
  state: Type.Enum(['running', 'completed', 'interrupted', 'client_closed', 'failed', 'refused']),
  status: nullable(Type.Integer()),
  error: nullable(shown({ code: Type.String() })),
  usage: nullable(
    shown({
      prompt_tokens: Type.Number(),
      completion_tokens: Type.Number(),
      total_tokens: Type.Number(),
      buckets: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
  usage_source: nullable(Type.Enum(['upstream', 'estimated'])),
  retrieved_tokens: Type.Integer(),
  passages: Type.Array(UsedPassage, { description: 'What knowledge bases put into the prompt, by name.' }),
  cost: Toman,
  held: Toman,
  price: shown({
    version: Type.String(),
    lines: Type.Array(
      shown({ bucket: Type.String(), units: Type.Number(), toman_per_million: Type.String(), amount: Toman }),
    ),
  }),
  formula: Type.String({ examples: ['1200 × 15000 + 400 × 60000 = 42000000 µT'] }),
  first_event_ms: nullable(Type.Number()),
  duration_ms: Type.Number(),
  warnings: Type.Array(Type.String()),
};

export const Receipt = shown({ ...receipt, attempts: Type.Array(shown(attempt)) }, 'Receipt');

export const OperatorReceipt = shown(
  {
    ...receipt,
    account_id: Type.String(),
    provider: nullable(Type.String()),
    provider_cost: nullable(Toman),
    usage_raw: AnyJson,
    counters: Type.Array(Type.String()),
    plan: Type.Array(Type.String()),
    attempts: Type.Array(
      shown({ ...attempt, route: Type.String(), credential: Type.String(), cause: nullable(Type.String()) }),
    ),
  },
  'OperatorReceipt',
);
