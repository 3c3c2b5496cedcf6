/** `POST /rerank` as Cohere's clients speak it, and those of Jina, Together and vLLM, which took it over. */
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { type Money, toTomanNumber } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { promptTokens, type Usage } from '../../core/usage.ts';
import {
  asArray,
  asBoolean,
  asName,
  asString,
  fieldsBeside,
  integerBetween,
  namesUpTo,
  optional,
} from '../read-fields.ts';
import { protocolReasons } from '../reasons.ts';
import { decodeServiceExtension } from '../service-extension.ts';
import type { RerankRequest, RerankResponse } from './rerank.ts';

/** Cohere and Voyage take no more. */
const MAX_DOCUMENTS = 1_000;
const MAX_NAME_CHARS = 512;
const MAX_RANK_FIELDS = 32;

const MODELLED = new Set([
  'model',
  'query',
  'documents',
  'top_n',
  'return_documents',
  'rank_fields',
  'max_tokens_per_doc',
  'user',
  'svc',
]);
const asTop = integerBetween(1, Number.MAX_SAFE_INTEGER);
const asDocumentTokens = integerBetween(1, 1_000_000);
const asRankFields = namesUpTo(MAX_RANK_FIELDS, MAX_NAME_CHARS);

/** Throws GatewayError invalid_request naming the `param`. */
export function decodeRerankRequest(body: JsonObject): RerankRequest {
  const rankFields = optional(body['rank_fields'], 'rank_fields', asRankFields);
  const topN = optional(body['top_n'], 'top_n', asTop);
  const maxTokens = optional(body['max_tokens_per_doc'], 'max_tokens_per_doc', asDocumentTokens);
  const user = optional(body['user'], 'user', asString);
  return {
    model: optional(body['model'], 'model', (value, param) => asName(value, param, MAX_NAME_CHARS)),
    query: readText(body['query'], 'query'),
    documents: readDocuments(body['documents'], rankFields),
    returnDocuments: optional(body['return_documents'], 'return_documents', asBoolean) ?? false,
    svc: decodeServiceExtension(body['svc']),
    extras: fieldsBeside(body, MODELLED) ?? {},
    ...(topN !== undefined && { topN }),
    ...(maxTokens !== undefined && { maxTokensPerDocument: maxTokens }),
    ...(user !== undefined && { user }),
  };
}

function readDocuments(value: Json | undefined, rankFields: string[] | undefined): string[] {
  const documents = asArray(value, 'documents', MAX_DOCUMENTS);
  if (documents.length === 0) throw invalidRequest('documents', reasons.needsOne('documents'));
  return documents.map((item, index) => readDocument(item, `documents.${index}`, rankFields));
}

/** Providers take texts, so the named fields of an object become lines of one. */
function readDocument(item: Json, param: string, rankFields: string[] | undefined): string {
  if (typeof item === 'string') return readText(item, param);
  if (!isJsonObject(item)) throw invalidRequest(param, reasons.mustBe(param, expected.text));
  if (!rankFields) return readText(item['text'], `${param}.text`);
  const lines = rankFields.flatMap((name) => {
    const value = item[name];
    return value === undefined || value === null
      ? []
      : [`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`];
  });
  return readText(lines.join('\n'), param);
}

function readText(value: Json | undefined, param: string): string {
  const text = asString(value, param);
  if (text.trim() !== '') return text;
  throw invalidRequest(param, protocolReasons.isEmpty(param));
}

/** One answer that the clients of Cohere, Jina, Together and vLLM can read. */
export function encodeRerankResponse(
  { results }: RerankResponse,
  { id, model, request }: { id: string; model: string; request: RerankRequest },
  { usage, cost }: { usage: Usage; cost: Money },
): JsonObject {
  const { searches, inputFresh } = usage.buckets;
  const tokens = promptTokens(usage);
  return {
    id,
    object: 'rerank',
    model,
    results: results.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(request.returnDocuments && { document: { text: request.documents[index] ?? '' } }),
    })),
    meta: {
      api_version: { version: '2' },
      billed_units: { ...(searches !== undefined && { search_units: searches }) },
      tokens: { ...(inputFresh !== undefined && { input_tokens: inputFresh }) },
    },
    usage: { prompt_tokens: tokens, total_tokens: tokens, cost: toTomanNumber(cost) },
  };
}
