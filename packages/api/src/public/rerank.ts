/** Documents in the order of their relevance to a query, described. Two addresses, since Cohere's clients know both. */
import Type from 'typebox';
import { Cost } from '../answers.ts';
import { ModelName, maybe, open, ServiceExtensionSchema } from '../bodies/parts.ts';
import { responseObject } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { PAID } from './usual-errors.ts';

const Text = Type.String({ minLength: 1 });

const RerankRequest = open(
  {
    model: maybe(ModelName),
    query: Text,
    documents: Type.Array(Type.Union([Text, open({ text: maybe(Type.String()) })]), {
      minItems: 1,
      maxItems: 1_000,
      description: 'Texts, or objects with a `text`; with `rank_fields`, objects with these fields.',
    }),
    top_n: maybe(Type.Integer({ minimum: 1, description: 'So many of the best; absent: all of them.' })),
    return_documents: maybe(Type.Boolean({ description: 'Each result also has its document.' })),
    rank_fields: maybe(Type.Array(Text, { minItems: 1, maxItems: 32 })),
    max_tokens_per_doc: maybe(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    user: maybe(Type.String()),
    svc: maybe(ServiceExtensionSchema),
  },
  'RerankRequest',
);

const RankedDocuments = responseObject(
  {
    id: Type.String(),
    object: Type.Literal('rerank'),
    model: Type.String(),
    results: Type.Array(
      responseObject({
        index: Type.Integer({ description: 'Place of the document in the request, from 0.' }),
        relevance_score: Type.Number({ description: 'Comparable within one answer only; models differ in its range.' }),
        document: Type.Optional(responseObject({ text: Type.String() })),
      }),
    ),
    meta: responseObject({
      api_version: responseObject({ version: Type.String() }),
      billed_units: responseObject({ search_units: Type.Optional(Type.Integer()) }),
      tokens: responseObject({ input_tokens: Type.Optional(Type.Integer()) }),
    }),
    usage: responseObject({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer(), cost: Cost }),
  },
  'RankedDocuments',
);

const RERANK = {
  method: 'POST',
  access: { guard: 'key', endpoint: 'rerank' },
  tag: 'Rerank',
  summary: { fa: 'مرتب کردن متن‌ها بر پایهٔ ربط به پرسش', en: 'Documents in the order of their relevance to a query' },
  body: RerankRequest,
  result: RankedDocuments,
  errors: PAID,
  example: {
    model: 'sandbox/rerank',
    query: 'پایتخت ایران کجاست؟',
    documents: ['تهران پایتخت ایران است.', 'زاینده‌رود از اصفهان می‌گذرد.'],
    top_n: 1,
  },
} as const;

export const createRerank = describeRoute({ ...RERANK, path: '/api/v1/rerank', operationId: 'createRerank' });

export const createRerankV2 = describeRoute({ ...RERANK, path: '/api/v2/rerank', operationId: 'createRerankV2' });
