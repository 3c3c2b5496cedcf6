import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/core/errors.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../src/core/json.ts';
import { money } from '../../../src/core/money.ts';
import { decodeEmbeddingRequest, encodeEmbeddingResponse } from '../../../src/protocols/index.ts';

const model = 'openai/text-embedding-3-small';

function refusedParam(body: JsonObject): string | undefined {
  try {
    decodeEmbeddingRequest(body);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'invalid_request') return error.options.param;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('an embedding request', () => {
  it.each<[string, Json, (string | number[])[]]>([
    ['a text', 'a', ['a']],
    ['texts', ['a', 'b'], ['a', 'b']],
    ['tokens', [1, 2], [[1, 2]]],
    ['several lists of tokens', [[1, 2], [3]], [[1, 2], [3]]],
  ])('takes %s', (_name, input, inputs) => {
    expect(decodeEmbeddingRequest({ model, input })).toMatchObject({ model, inputs, encoding: 'float', extras: {} });
  });

  it('keeps every option, unknown ones too, and reads null as absent', () => {
    expect(
      decodeEmbeddingRequest({
        model,
        input: 'a',
        dimensions: 256,
        encoding_format: 'base64',
        user: 'u',
        input_type: 'query',
      }),
    ).toEqual({
      model,
      inputs: ['a'],
      dimensions: 256,
      encoding: 'base64',
      user: 'u',
      svc: { knowledgeBaseIds: [] },
      extras: { input_type: 'query' },
    });
    expect(decodeEmbeddingRequest({ input: 'a', dimensions: null, encoding_format: null, user: null })).toEqual({
      model: undefined,
      inputs: ['a'],
      encoding: 'float',
      svc: { knowledgeBaseIds: [] },
      extras: {},
    });
  });

  it.each<[string, JsonObject, string]>([
    ['no input', {}, 'input'],
    ['an empty list', { input: [] }, 'input'],
    ['an empty text', { input: '' }, 'input'],
    ['an empty text in a list', { input: ['a', ''] }, 'input.1'],
    ['an object', { input: {} }, 'input'],
    ['a mixed list', { input: ['a', 1] }, 'input.1'],
    ['a text among tokens', { input: [1, 'a'] }, 'input.1'],
    ['a broken token', { input: [[1], [2.5]] }, 'input.1.0'],
    ['an empty list of tokens', { input: [[1], []] }, 'input.1'],
    ['too many texts', { input: new Array(2049).fill('a') }, 'input'],
    ['dimensions of zero', { input: 'a', dimensions: 0 }, 'dimensions'],
    ['an unknown packing', { input: 'a', encoding_format: 'int8' }, 'encoding_format'],
    ['a model that is no text', { input: 'a', model: 5 }, 'model'],
  ])('refuses %s by name', (_name, body, param) => {
    expect(refusedParam(body)).toBe(param);
  });

  it('takes 2048 texts', () => {
    expect(decodeEmbeddingRequest({ input: new Array(2048).fill('a') }).inputs).toHaveLength(2048);
  });

  it('never fails in another way', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (input, encoding) => {
        const body = parseJson(JSON.stringify({ input, encoding_format: encoding }).replaceAll('__proto__', 'proto'));
        try {
          expect(decodeEmbeddingRequest(body as JsonObject).inputs.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
        }
      }),
    );
  });
});

describe('an embedding answer', () => {
  const closing = {
    usage: { buckets: { inputFresh: 8 }, source: 'upstream' as const },
    cost: money(1_500_000n),
  };

  it('has the vectors in the asked packing, the tokens and the cost', () => {
    const answer = encodeEmbeddingResponse(
      { vectors: [[0.5, -2], new Float32Array([1])] },
      { model, encoding: 'float' },
      closing,
    );
    expect(answer).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [0.5, -2] },
        { object: 'embedding', index: 1, embedding: [1] },
      ],
      model,
      usage: { prompt_tokens: 8, total_tokens: 8, cost: 1.5 },
    });
    const packed = encodeEmbeddingResponse({ vectors: [[0.5, -2]] }, { model, encoding: 'base64' }, closing);
    // 0.5 and -2 as little-endian 32-bit floats.
    expect(packed['data']).toEqual([
      { object: 'embedding', index: 0, embedding: Buffer.from([0, 0, 0, 0x3f, 0, 0, 0, 0xc0]).toString('base64') },
    ]);
  });

  it('is read by the official SDK, which asks for base64 on its own', async () => {
    const vector = [0.1, -0.25, 3e-8, 1];
    const asked: Json[] = [];
    const server = createServer((incoming, reply) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
      });
      incoming.on('end', () => {
        const body = parseJson(text);
        if (!isJsonObject(body)) throw new Error('no body');
        asked.push(body['encoding_format'] ?? null);
        const { encoding } = decodeEmbeddingRequest(body);
        reply.setHeader('content-type', 'application/json');
        reply.end(JSON.stringify(encodeEmbeddingResponse({ vectors: [vector] }, { model, encoding }, closing)));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const client = new OpenAI({ apiKey: 'k', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 });
      const implicit = await client.embeddings.create({ model, input: 'a' });
      expect(implicit.data[0]?.embedding).toEqual(vector.map(Math.fround));
      const explicit = await client.embeddings.create({ model, input: 'a', encoding_format: 'float' });
      expect(explicit.data[0]?.embedding).toEqual(vector);
      expect(asked).toEqual(['base64', 'float']);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
