import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/core/errors.ts';
import type { Json } from '../../../src/core/json.ts';
import type { EmbeddingRequest } from '../../../src/protocols/index.ts';
import { geminiEmbeddings, joinResponses, openaiEmbeddings, splitInputs } from '../../../src/protocols/index.ts';

function request(inputs: EmbeddingRequest['inputs'], changes: Partial<EmbeddingRequest> = {}): EmbeddingRequest {
  return { model: 'm', inputs, encoding: 'float', svc: { knowledgeBaseIds: [] }, extras: {}, ...changes };
}

const plain = { model: 'text-embedding-3-small', quirks: {} };

describe('OpenAI-like embeddings', () => {
  it('asks for a packing only where the vendor is known to take it', () => {
    const given = request(['a', [1, 2]], { dimensions: 8, user: 'u', extras: { input_type: 'query' } });
    expect(openaiEmbeddings.encodeRequest(given, plain)).toMatchObject({
      path: '/embeddings',
      body: { model: plain.model, input: ['a', [1, 2]], dimensions: 8, user: 'u', input_type: 'query' },
      warnings: [],
    });
    expect(openaiEmbeddings.encodeRequest(given, plain).body).not.toHaveProperty('encoding_format');
    const packed = { ...plain, quirks: { embeddings: { encoding: 'base64' as const } } };
    expect(openaiEmbeddings.encodeRequest(given, packed).body['encoding_format']).toBe('base64');
  });

  it('drops what the vendor refuses, with a warning, and knows the path of Azure', () => {
    const to = { model: 'my dep', quirks: { dropFields: ['user'], azure: { apiVersion: '2025-01-01' } } };
    const parts = openaiEmbeddings.encodeRequest(request(['a'], { user: 'u' }), to);
    expect(parts.body).toEqual({ model: 'my dep', input: ['a'] });
    expect(parts.warnings).toHaveLength(1);
    expect(parts.path).toBe('/deployments/my%20dep/embeddings?api-version=2025-01-01');
  });

  const entry = (embedding: Json, index?: number) => ({ embedding, ...(index !== undefined && { index }) });
  const decode = (body: Json, given: EmbeddingRequest) => openaiEmbeddings.decodeResponse(body, given, plain);

  it('reads numbers and base64 in whatever order, and counts from what is told', () => {
    const body = {
      data: [entry('AAAAPwAAAMA=', 1), entry([0.1, 0.2], 0)],
      model: 'x',
      usage: { total_tokens: 3 },
    };
    expect(decode(body, request(['a', 'b']))).toEqual({
      vectors: [[0.1, 0.2], new Float32Array([0.5, -2])],
      model: 'x',
      usage: { buckets: { inputFresh: 3 }, source: 'upstream', raw: { total_tokens: 3 } },
    });
    expect(decode({ data: [entry([1])] }, request(['a']))).toEqual({ vectors: [[1]] });
  });

  it.each([1.5, -3, 1e300, '3'])('takes a count of %s for no count', (total_tokens) => {
    expect(decode({ data: [entry([1])], usage: { total_tokens } }, request(['a']))).toEqual({ vectors: [[1]] });
  });

  it('reads one signed byte per dimension where the count says so', () => {
    expect(decode({ data: [entry('Af8CAw==')] }, request(['a'], { dimensions: 4 }))).toEqual({
      vectors: [[1, -1, 2, 3]],
    });
  });

  it.each<[string, Json]>([
    ['too few vectors', { data: [entry([1], 0)] }],
    ['too many vectors', { data: [entry([1]), entry([1]), entry([1])] }],
    ['one vector twice', { data: [entry([1], 0), entry([1], 0)] }],
    ['a vector of words', { data: [entry([1], 0), entry(['a'], 1)] }],
    ['no list', { object: 'list' }],
    ['nothing', null],
  ])('takes %s for a malformed answer', (_name, body) => {
    expect(decode(body, request(['a', 'b']))).toMatchObject({ kind: 'malformed' });
  });

  it('sees an error that came with 200', () => {
    expect(decode({ error: { message: 'Rate limit', code: 429 } }, request(['a']))).toMatchObject({
      kind: 'rate-limited',
    });
  });
});

describe('Gemini embeddings', () => {
  const to = { model: 'gemini-embedding-001', quirks: {} };

  it('sends one request per text in one call', () => {
    const { path, body, warnings } = geminiEmbeddings.encodeRequest(
      request(['a', 'b'], { dimensions: 768, user: 'u', extras: { input_type: 'query' } }),
      to,
    );
    const one = (text: string) => ({
      model: 'models/gemini-embedding-001',
      content: { parts: [{ text }] },
      outputDimensionality: 768,
    });
    expect(path).toBe('/models/gemini-embedding-001:batchEmbedContents');
    expect(body).toEqual({ requests: [one('a'), one('b')] });
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual(['input_type', 'user']);
  });

  it('refuses tokens by name', () => {
    expect(() => geminiEmbeddings.encodeRequest(request(['a', [1]]), to)).toThrow(
      expect.objectContaining({ code: 'invalid_request', options: expect.objectContaining({ param: 'input.1' }) }),
    );
    expect(() => geminiEmbeddings.encodeRequest(request([[1]]), to)).toThrow(GatewayError);
  });

  it('reads vectors, and usage where there is any', () => {
    const embeddings = [{ values: [0.1] }, { values: [0.2] }];
    const decode = (body: Json) => geminiEmbeddings.decodeResponse(body, request(['a', 'b']), to);
    expect(decode({ embeddings })).toEqual({ vectors: [[0.1], [0.2]] });
    expect(decode({ embeddings, usageMetadata: { promptTokenCount: 7 } })).toMatchObject({
      usage: { buckets: { inputFresh: 7 } },
    });
    expect(decode({ embeddings: embeddings.slice(1) })).toMatchObject({ kind: 'malformed' });
    expect(decode({ error: { code: 404, status: 'NOT_FOUND', message: 'no' } })).toMatchObject({ kind: 'model-gone' });
  });
});

describe('large batches', () => {
  it('go in several calls and come back as one answer', () => {
    const inputs = Array.from({ length: 250 }, (_, index) => `text ${index}`);
    const batches = splitInputs(request(inputs), geminiEmbeddings.maxInputs(plain));
    expect(batches.map((batch) => batch.inputs.length)).toEqual([100, 100, 50]);
    expect(batches.flatMap((batch) => batch.inputs)).toEqual(inputs);
    const usage = (tokens: number) => ({ buckets: { inputFresh: tokens }, source: 'upstream' as const, raw: tokens });
    expect(
      joinResponses([
        { model: 'x', vectors: [[1]], usage: usage(3) },
        { vectors: [[2]], usage: usage(4) },
      ]),
    ).toEqual({
      model: 'x',
      vectors: [[1], [2]],
      usage: { buckets: { inputFresh: 7 }, source: 'upstream', raw: [3, 4] },
    });
    expect(joinResponses([{ vectors: [[1]], usage: usage(3) }, { vectors: [[2]] }])).not.toHaveProperty('usage');
  });
});
