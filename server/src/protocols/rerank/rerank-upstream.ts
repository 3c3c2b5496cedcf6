/**
 * Rerankers of Cohere, Voyage, text-embeddings-inference, and of everybody who copied Jina's endpoint (vLLM, llama.cpp, Together).
 * They differ in a few names on the way out. On the way back all are read the same way, for compatible servers mix them.
 */
import type { UpstreamFailure } from '../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { passNamed } from '../passed-fields.ts';
import type { HttpParts, Quirks } from '../protocol.ts';
import { errorIn, inBandFailure } from '../provider-error.ts';
import type { RankedDocument, RerankRequest, RerankResponse } from './rerank.ts';

const PASSED = new Set([
  'model',
  'query',
  'documents',
  'texts',
  'top_n',
  'top_k',
  'max_tokens_per_doc',
  'max_chunks_per_doc',
  'return_documents',
  'truncation',
  'truncate',
  'instruction',
  'raw_scores',
  'use_activation',
]);

export function encodeRerank(request: RerankRequest, model: string, quirks: Quirks): HttpParts {
  const { query, documents, topN, maxTokensPerDocument: maxTokens, extras } = request;
  const top = topN === undefined ? undefined : Math.min(topN, documents.length);
  const warnings: string[] = [];
  const style = quirks.rerankStyle ?? 'jina';
  if (maxTokens !== undefined && style !== 'cohere' && style !== 'jina')
    warnings.push('max_tokens_per_doc dropped: the provider has no such field');
  const body: JsonObject = { ...extras, ...bodyOf[style]({ model, query, documents, top, maxTokens }) };
  const refused = (quirks.dropFields ?? []).filter((field) => body[field] !== undefined);
  for (const field of refused) delete body[field];
  warnings.push(...refused.map((field) => `${field} dropped: the provider's API has no such field`));
  const passed = passNamed(PASSED, body, quirks, warnings);
  return { path: PATHS[style], headers: { accept: 'application/json' }, body: passed, warnings };
}

/** Two slashes put the path beside the version of the API that the provider's address names, see joinUrl. */
const PATHS = { cohere: '//v2/rerank', voyage: '/rerank', jina: '/rerank', tei: '//rerank' };

interface RerankParts {
  model: string;
  query: string;
  documents: string[];
  top: number | undefined;
  maxTokens: number | undefined;
}

const bodyOf: Record<keyof typeof PATHS, (parts: RerankParts) => JsonObject> = {
  cohere: jinaBody,
  jina: (parts) => ({ ...jinaBody(parts), return_documents: false }),
  voyage: ({ model, query, documents, top }) => ({
    model,
    query,
    documents,
    ...(top !== undefined && { top_k: top }),
  }),
  // It serves one model and answers for all documents; a text that is too long is cut instead of refused, as elsewhere.
  tei: ({ query, documents }) => ({ query, texts: documents, truncate: true }),
};

function jinaBody({ model, query, documents, top, maxTokens }: RerankParts): JsonObject {
  return {
    model,
    query,
    documents,
    ...(top !== undefined && { top_n: top }),
    ...(maxTokens !== undefined && { max_tokens_per_doc: maxTokens }),
  };
}

export function decodeRerank(answer: Json | undefined, request: RerankRequest): RerankResponse | UpstreamFailure {
  const list = Array.isArray(answer)
    ? answer
    : isJsonObject(answer)
      ? (answer['results'] ?? answer['data'])
      : undefined;
  if (!Array.isArray(list)) {
    const error = isJsonObject(answer) ? errorIn(answer) : undefined;
    return error ? inBandFailure(error) : { kind: 'malformed', message: 'an answer without results' };
  }
  const results = readResults(list, request.documents.length);
  if (!results) return { kind: 'malformed', message: 'results that name no document or have no score' };
  if (results.length === 0) return { kind: 'empty', message: 'no document was ranked' };
  results.sort((a, b) => b.score - a.score);
  const raw = isJsonObject(answer) ? (answer['meta'] ?? answer['usage']) : undefined;
  return {
    results: results.slice(0, request.topN),
    counted: isJsonObject(answer) ? readCounts(answer) : {},
    ...(isJsonObject(raw) && { raw }),
  };
}

function readResults(list: readonly Json[], documents: number): RankedDocument[] | undefined {
  const seen = new Set<number>();
  const results: RankedDocument[] = [];
  for (const item of list) {
    if (!isJsonObject(item)) return undefined;
    const index = item['index'];
    const score = item['relevance_score'] ?? item['score'];
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= documents) return undefined;
    if (typeof score !== 'number' || !Number.isFinite(score) || seen.has(index)) return undefined;
    seen.add(index);
    results.push({ index, score });
  }
  return results;
}

/** Cohere counts searches in `meta`, the others tokens in `usage`. A reranker writes nothing, so all its tokens are input. */
function readCounts({ meta, usage }: JsonObject): Usage['buckets'] {
  const billed = isJsonObject(meta) && isJsonObject(meta['billed_units']) ? meta['billed_units'] : {};
  const tokens = isJsonObject(meta) && isJsonObject(meta['tokens']) ? meta['tokens'] : {};
  const counts = isJsonObject(usage) ? usage : {};
  const searches = count(billed['search_units']);
  const input =
    count(counts['total_tokens']) ??
    count(counts['prompt_tokens']) ??
    count(tokens['input_tokens']) ??
    count(billed['input_tokens']);
  return { ...(searches !== undefined && { searches }), ...(input !== undefined && { inputFresh: input }) };
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
