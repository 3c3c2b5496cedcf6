/** Vectors of whole numbers, as they were asked for. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { money } from '../../../src/core/money.ts';
import {
  type AnswerClosing,
  decodeEmbeddingRequest,
  encodeEmbeddingResponse,
  openaiEmbeddings,
} from '../../../src/protocols/index.ts';

const closing: AnswerClosing = {
  usage: { buckets: { inputFresh: 5, output: 2 }, source: 'upstream' },
  cost: money(0n),
};

describe('quantised embeddings', () => {
  const bytes = [1, 255, 128, 7];
  const packed = Buffer.from(bytes).toString('base64');
  const answer = { data: [{ index: 0, embedding: packed }], usage: { total_tokens: 3 } };
  const request = (more: JsonObject) => decodeEmbeddingRequest({ model: 'v/m', input: 'a', ...more });
  const decode = (more: JsonObject) =>
    openaiEmbeddings.decodeResponse(answer, request(more), { model: 'm', quirks: {} });

  it('are whole numbers when they were asked for, and are packed as bytes', () => {
    expect(decode({ output_dtype: 'int8' })).toMatchObject({ vectors: [[1, -1, -128, 7]] });
    expect(decode({ output_dtype: 'uint8' })).toMatchObject({ vectors: [[1, 255, 128, 7]] });
    const encoded = encodeEmbeddingResponse(
      { vectors: [[1, -1, -128, 7]] },
      { model: 'v/m', encoding: 'base64', numbers: 'int8' },
      closing,
    );
    expect(encoded).toMatchObject({ data: [{ embedding: packed }] });
  });

  it('are told from floats by what floats can be', () => {
    const many = Buffer.from(Array.from({ length: 64 }, (_, at) => (at * 37) % 256)).toString('base64');
    const body = { data: [{ index: 0, embedding: many }] };
    const decoded = openaiEmbeddings.decodeResponse(body, request({}), { model: 'm', quirks: {} });
    expect('vectors' in decoded && decoded.vectors[0]).toHaveLength(64);
    const floats = Buffer.from(Float32Array.from([0.25, -0.5, 0]).buffer).toString('base64');
    const real = { data: [{ index: 0, embedding: floats }] };
    const read = openaiEmbeddings.decodeResponse(real, request({}), { model: 'm', quirks: {} });
    expect('vectors' in read && Array.from(read.vectors[0] ?? [])).toEqual([0.25, -0.5, 0]);
  });
});
