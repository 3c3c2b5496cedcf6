/** Recorded embeddings of six vendors, with and without packing. */
import { expect, it } from 'vitest';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../../src/core/json.ts';
import { promptTokens } from '../../../src/core/usage.ts';
import {
  decodeEmbeddingRequest,
  type EmbeddingUpstreamCodec,
  geminiEmbeddings,
  isEmbeddingFailure,
  openaiEmbeddings,
} from '../../../src/protocols/index.ts';
import { describeCorpus, type Exchange } from '../corpus.ts';

const target = { model: 'm', quirks: {} };

/** Google's batch as the request that would have made it. */
function openaiShape({ req }: Exchange): JsonObject {
  if (!Array.isArray(req['requests'])) return req;
  const first = req['requests'][0];
  const dimensions = isJsonObject(first) ? first['outputDimensionality'] : undefined;
  return { input: req['requests'].map(() => 'text'), ...(dimensions !== undefined && { dimensions }) };
}

describeCorpus('recorded embeddings', ['openai-embeddings', 'gemini-batchEmbedContents'], (all) => {
  // Ollama's native endpoint was recorded too; it is another protocol.
  const exchanges = all.filter(({ path }) => path !== '/api/embeddings');
  const codecOf = ({ api }: Exchange): EmbeddingUpstreamCodec =>
    api === 'openai-embeddings' ? openaiEmbeddings : geminiEmbeddings;

  it('gives one vector per input, of one length, and the recorded tokens', () => {
    const answered = exchanges.filter(({ status }) => status === 200);
    expect(answered.length).toBeGreaterThan(20);
    for (const exchange of answered) {
      const request = decodeEmbeddingRequest(openaiShape(exchange));
      const body = parseTrustedJson(exchange.resp) ?? null;
      const response = codecOf(exchange).decodeResponse(body, request, target);
      if (isEmbeddingFailure(response)) throw new Error(`${exchange.id}: ${response.kind} ${response.message}`);
      expect(response.vectors, exchange.id).toHaveLength(request.inputs.length);
      const lengths = new Set(response.vectors.map(({ length }) => length));
      expect(lengths.size, exchange.id).toBe(1);
      if (request.dimensions !== undefined) expect([...lengths], exchange.id).toEqual([request.dimensions]);
      const usage = isJsonObject(body) ? (body['usage'] ?? body['usageMetadata']) : undefined;
      if (!isJsonObject(usage)) continue;
      const recorded = usage['prompt_tokens'] ?? usage['total_tokens'] ?? usage['promptTokenCount'];
      expect(response.usage && promptTokens(response.usage), exchange.id).toBe(recorded);
    }
  });

  it('classifies the recorded refusals', () => {
    const kinds = exchanges
      .filter(({ status }) => status !== 200)
      .map((exchange) => codecOf(exchange).decodeFailure(exchange.status, {}, exchange.resp).kind);
    expect(kinds).toHaveLength(3);
    expect(kinds).toContain('credential');
    expect(kinds).toContain('model-gone');
  });
});
