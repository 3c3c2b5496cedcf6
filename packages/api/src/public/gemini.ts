/** Gemini's own API, described. The address names the model and what is asked of it; `/api/v1` in place of `/api/v1beta` works too. */
import Type from 'typebox';
import { Cost } from '../answers.ts';
import {
  BatchEmbedRequest,
  EmbedContentRequest,
  GeminiCountRequest,
  GenerateContentRequest,
} from '../bodies/gemini.ts';
import { AnyJson, responseObject } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { PAID, RULES } from './usual-errors.ts';

const hello = [{ role: 'user', parts: [{ text: 'سلام' }] }];

const Usage = responseObject(
  {
    promptTokenCount: Type.Integer(),
    candidatesTokenCount: Type.Integer(),
    totalTokenCount: Type.Integer(),
    cachedContentTokenCount: Type.Optional(Type.Integer()),
    thoughtsTokenCount: Type.Optional(Type.Integer()),
    cost: Type.Optional(Cost),
  },
  'GeminiUsage',
);
const GeneratedContent = responseObject(
  {
    candidates: Type.Optional(
      Type.Array(
        responseObject({
          content: Type.Optional(
            responseObject({ role: Type.Optional(Type.String()), parts: Type.Optional(Type.Array(AnyJson)) }),
          ),
          finishReason: Type.Optional(Type.String()),
          index: Type.Optional(Type.Integer()),
        }),
      ),
    ),
    promptFeedback: Type.Optional(AnyJson),
    usageMetadata: Usage,
    modelVersion: Type.String(),
    responseId: Type.String(),
  },
  'GeneratedContent',
);
const Vector = responseObject({ values: Type.Array(Type.Number()) }, 'GeminiEmbedding');
const GeminiModel = responseObject(
  {
    name: Type.String({ description: '`models/<vendor>/<model>`.' }),
    baseModelId: Type.String(),
    version: Type.String(),
    displayName: Type.String(),
    description: Type.Optional(Type.String()),
    inputTokenLimit: Type.Optional(Type.Integer()),
    outputTokenLimit: Type.Optional(Type.Integer()),
    supportedGenerationMethods: Type.Array(Type.String()),
    thinking: Type.Boolean(),
  },
  'GeminiModel',
);

const MODEL = { vendor: 'The vendor of the model.', model: 'The name of the model.' };

export const generateContent = describeRoute({
  method: 'POST',
  path: '/api/v1beta/models/:vendor/:model:generateContent',
  access: { guard: 'key', endpoint: 'gemini.generate' },
  operationId: 'generateContent',
  tag: 'Gemini',
  summary: { fa: 'گفت‌وگو با پروتکل Gemini', en: 'Chat in the protocol of the Gemini SDK' },
  description: 'Any model answers here. The key may come as `x-goog-api-key`, as `?key=` or as a bearer token.',
  params: MODEL,
  body: GenerateContentRequest,
  result: GeneratedContent,
  errors: PAID,
  example: { contents: hello },
});

export const streamGenerateContent = describeRoute({
  method: 'POST',
  path: '/api/v1beta/models/:vendor/:model:streamGenerateContent',
  access: { guard: 'key', endpoint: 'gemini.generate' },
  operationId: 'streamGenerateContent',
  tag: 'Gemini',
  summary: { fa: 'گفت‌وگوی استریم با پروتکل Gemini', en: 'A streamed chat in the protocol of the Gemini SDK' },
  description: 'With `alt=sse` a stream of events, otherwise one JSON array whose elements arrive over time.',
  params: MODEL,
  query: Type.Object({ alt: Type.Optional(Type.Enum(['sse', 'json'])) }),
  body: GenerateContentRequest,
  result: Type.Array(GeneratedContent),
  streams: true,
  errors: PAID,
  example: { contents: hello },
});

export const countGeminiTokens = describeRoute({
  method: 'POST',
  path: '/api/v1beta/models/:vendor/:model:countTokens',
  access: { guard: 'key', endpoint: 'gemini.count_tokens' },
  operationId: 'countGeminiTokens',
  tag: 'Gemini',
  summary: { fa: 'شمردن توکن‌های ورودی؛ رایگان', en: 'Count input tokens; free' },
  params: MODEL,
  body: GeminiCountRequest,
  result: responseObject({ totalTokens: Type.Integer() }, 'GeminiTokenCount'),
  errors: [...RULES, 'model_not_allowed', 'price_above_limit', 'not_for_sale', 'model_not_found'],
  example: { contents: hello },
});

export const embedContent = describeRoute({
  method: 'POST',
  path: '/api/v1beta/models/:vendor/:model:embedContent',
  access: { guard: 'key', endpoint: 'gemini.embed' },
  operationId: 'embedContent',
  tag: 'Gemini',
  summary: { fa: 'بردار یک متن', en: 'The vector of one text' },
  params: MODEL,
  body: EmbedContentRequest,
  result: responseObject({ embedding: Vector }, 'EmbeddedContent'),
  errors: PAID,
  example: { content: { parts: [{ text: 'سلام' }] } },
});

export const batchEmbedContents = describeRoute({
  method: 'POST',
  path: '/api/v1beta/models/:vendor/:model:batchEmbedContents',
  access: { guard: 'key', endpoint: 'gemini.embed' },
  operationId: 'batchEmbedContents',
  tag: 'Gemini',
  summary: { fa: 'بردار چند متن', en: 'The vectors of several texts' },
  params: MODEL,
  body: BatchEmbedRequest,
  result: responseObject({ embeddings: Type.Array(Vector) }, 'EmbeddedContents'),
  errors: PAID,
  example: { requests: [{ content: { parts: [{ text: 'سلام' }] } }] },
});

export const listGeminiModels = describeRoute({
  method: 'GET',
  path: '/api/v1beta/models',
  access: { guard: 'key', endpoint: 'models' },
  operationId: 'listGeminiModels',
  tag: 'Gemini',
  summary: { fa: 'مدل‌هایی که کلید مجاز است، به شکل Gemini', en: 'Models the key may use, in the form of Gemini' },
  query: Type.Object({
    pageSize: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'At most so many; 50 by default.' }),
    ),
    pageToken: Type.Optional(Type.String({ maxLength: 256, description: '`nextPageToken` of the page before.' })),
  }),
  result: responseObject(
    { models: Type.Array(GeminiModel), nextPageToken: Type.Optional(Type.String()) },
    'GeminiModelList',
  ),
  errors: [...RULES, 'invalid_request'],
});

export const getGeminiModel = describeRoute({
  method: 'GET',
  path: '/api/v1beta/models/:vendor/:model',
  // Model ids contain a slash.
  servedAt: '/api/v1beta/models/*',
  access: { guard: 'key', endpoint: 'models' },
  operationId: 'getGeminiModel',
  tag: 'Gemini',
  summary: { fa: 'یک مدل به شکل Gemini', en: 'One model, in the form of Gemini' },
  params: MODEL,
  result: GeminiModel,
  errors: [...RULES, 'model_not_found'],
});
