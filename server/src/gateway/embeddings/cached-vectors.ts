/** Embeddings in the response cache: equal inputs of the same model have equal vectors. */
import { createHash } from 'node:crypto';
import { isJsonObject, type Json, parseTrustedJson } from '../../core/json.ts';
import { sortedJson } from '../../core/sorted-json.ts';
import type { Usage } from '../../core/usage.ts';
import type { EmbeddingRequest, EmbeddingResponse, Vector } from '../../protocols/index.ts';
import type { Asked, CachedAnswers } from '../paid/paid-endpoint.ts';

const FORMAT = 1;
/** The size of a packed number; written as a decimal it takes more. */
const MIN_BYTES_PER_NUMBER = 4;

type WrittenVector = number[] | { packed: string };

export const cachedVectors: CachedAnswers<Asked & { readonly request: EmbeddingRequest }, EmbeddingResponse> = {
  digest({ asked: { request }, run }, { model }) {
    const { inputs, dimensions, numbers, extras, svc } = request;
    const upstream = model.routes.map(({ provider, upstreamModel }) => `${provider.id} ${upstreamModel}`).sort();
    const { endpoint } = run.call;
    const fields = {
      format: FORMAT,
      endpoint,
      model: model.id,
      upstream,
      routing: svc.routing,
      data: run.told?.data?.demanded,
      inputs,
      dimensions,
      numbers,
    };
    return createHash('sha256')
      .update(sortedJson({ ...fields, extras } as unknown as Json))
      .digest('base64url');
  },
  record: (begun, { settings }) => ({ begun, text: (usage) => textOf(begun, usage, settings.cacheMaxAnswerBytes) }),
  read(text) {
    const kept = parseTrustedJson(text);
    if (!isJsonObject(kept) || kept['format'] !== FORMAT) return undefined;
    const { vectors, usage, model } = kept as unknown as { vectors: WrittenVector[]; usage: Usage; model?: string };
    return { vectors: vectors.map(vectorOf), usage, ...(model !== undefined && { model }) };
  },
};

/** The size is estimated first, so that vectors that are too long are never encoded. */
function textOf({ vectors, model }: EmbeddingResponse, usage: Usage, maxBytes: number): string | undefined {
  const numbers = vectors.reduce((sum, { length }) => sum + length, 0);
  if (numbers * MIN_BYTES_PER_NUMBER > maxBytes) return undefined;
  return JSON.stringify({ format: FORMAT, model, usage, vectors: vectors.map(written) });
}

function written(vector: Vector): WrittenVector {
  if (!(vector instanceof Float32Array)) return [...vector];
  return { packed: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64') };
}

function vectorOf(vector: WrittenVector): Vector {
  if (Array.isArray(vector)) return vector;
  const bytes = Buffer.from(vector.packed, 'base64');
  // Copied, because bytes of a pool need not be aligned for floats.
  return new Float32Array(new Uint8Array(bytes).buffer);
}
