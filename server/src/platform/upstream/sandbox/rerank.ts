/** Reranking without a model: how near the words and word parts of a document are to those of the query, in any script. */
import type { JsonObject } from '../../../core/json.ts';
import { sandboxVector } from './embeddings.ts';
import { jsonReply, type LocalAnswer } from './local-reply.ts';

const DIMENSIONS = 384;
const DOCUMENTS_PER_SEARCH = 100;

export function simulateRerank(body: JsonObject): LocalAnswer {
  const query = typeof body['query'] === 'string' ? body['query'] : '';
  const documents = Array.isArray(body['documents']) ? body['documents'].map(String) : [];
  const asked = sandboxVector(query, DIMENSIONS);
  const results = documents
    .map((text, index) => ({ index, relevance_score: nearness(asked, sandboxVector(text, DIMENSIONS)) }))
    .sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index);
  const top = typeof body['top_n'] === 'number' ? body['top_n'] : results.length;
  const tokens = documents.reduce((sum, text) => sum + Math.max(1, Math.ceil((text.length + query.length) / 4)), 0);
  return jsonReply(200, {
    object: 'list',
    model: typeof body['model'] === 'string' ? body['model'] : 'rerank',
    results: results.slice(0, top),
    meta: { billed_units: { search_units: Math.ceil(documents.length / DOCUMENTS_PER_SEARCH) } },
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

/** Between 0 and 1 with six decimals, so that the same texts give the same number everywhere. */
function nearness(a: Float32Array, b: Float32Array): number {
  let product = 0;
  for (let i = 0; i < a.length; i++) product += (a[i] as number) * (b[i] as number);
  return Math.round(Math.max(0, Math.min(1, product)) * 1e6) / 1e6;
}
