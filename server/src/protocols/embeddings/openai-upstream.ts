/** Embeddings of OpenAI and of everybody who copied its endpoint. */
import type { UpstreamFailure } from '../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { passEmbeddingFields } from '../passed-fields.ts';
import { decodeFailure, errorIn, inBandFailure } from '../provider-error.ts';
import type { EmbeddingRequest, EmbeddingResponse, EmbeddingUpstreamCodec, NumberKind, Vector } from './embedding.ts';
import { isNumberList } from './number-list.ts';
import { areFloats, unpackBytes, unpackFloats } from './packed-floats.ts';

const MAX_INPUTS = 2048;

export const openaiEmbeddings: EmbeddingUpstreamCodec = {
  protocol: 'openai-chat',
  encodeRequest(request, { model, quirks }) {
    const { dimensions, user, extras, inputs } = request;
    // The encoding is left out unless the vendor is known to take it: several refuse the word, and all answer floats without it.
    const encoding = quirks.embeddings?.encoding;
    const body: JsonObject = {
      ...extras,
      model,
      input: inputs,
      ...(dimensions !== undefined && { dimensions }),
      ...(user !== undefined && { user }),
      ...(encoding !== undefined && { encoding_format: encoding }),
    };
    const refused = (quirks.dropFields ?? []).filter((field) => body[field] !== undefined);
    for (const field of refused) delete body[field];
    const warnings = refused.map((field) => `${field} dropped: the provider's API has no such field`);
    const passed = passEmbeddingFields(body, quirks, warnings);
    return { path: azurePath(model, quirks.azure), headers: { accept: 'application/json' }, body: passed, warnings };
  },
  decodeResponse(body, request) {
    const error = isJsonObject(body) && body['data'] === undefined ? errorIn(body) : undefined;
    return error ? inBandFailure(error) : readAnswer(body, request);
  },
  decodeFailure,
  maxInputs: ({ quirks }) => quirks.embeddings?.maxInputs ?? MAX_INPUTS,
};

function azurePath(model: string, azure: { apiVersion: string } | undefined): string {
  if (!azure) return '/embeddings';
  const version = encodeURIComponent(azure.apiVersion);
  return `/deployments/${encodeURIComponent(model)}/embeddings?api-version=${version}`;
}

function readAnswer(body: Json, request: EmbeddingRequest): EmbeddingResponse | UpstreamFailure {
  const data = isJsonObject(body) ? body['data'] : undefined;
  if (!isJsonObject(body) || !Array.isArray(data)) return { kind: 'malformed', message: 'an answer without data' };
  const vectors: (Vector | undefined)[] = new Array(request.inputs.length).fill(undefined);
  for (const [place, entry] of data.entries()) {
    if (!isJsonObject(entry)) continue;
    const index = typeof entry['index'] === 'number' ? entry['index'] : place;
    if (index in vectors) vectors[index] = readVector(entry['embedding'], request);
  }
  const whole = vectors.filter((vector) => vector !== undefined);
  if (whole.length !== request.inputs.length || data.length !== request.inputs.length) {
    return { kind: 'malformed', message: `${whole.length} readable vectors for ${request.inputs.length} inputs` };
  }
  const usage = readUsage(body['usage']);
  const { model } = body;
  return { vectors: whole, ...(typeof model === 'string' && { model }), ...(usage && { usage }) };
}

/** Reads numbers or base64 whatever was asked for: vendors differ, and some pack one signed byte per dimension. */
function readVector(embedding: Json | undefined, request: EmbeddingRequest): Vector | undefined {
  if (isNumberList(embedding)) return embedding;
  if (typeof embedding !== 'string') return undefined;
  const { numbers = 'float', dimensions } = request;
  if (numbers !== 'float') return unpackBytes(embedding, isSigned(numbers));
  const floats = unpackFloats(embedding);
  if (floats && (floats.length === dimensions || (floats.length * 4 !== dimensions && areFloats(floats))))
    return floats;
  return unpackBytes(embedding, true);
}

function isSigned(numbers: NumberKind): boolean {
  return numbers === 'int8' || numbers === 'binary';
}

/** Voyage counts only the total; an embedding has no output, so it is the input. */
function readUsage(usage: Json | undefined): Usage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const tokens = usage['prompt_tokens'] ?? usage['total_tokens'];
  if (typeof tokens !== 'number' || !Number.isSafeInteger(tokens) || tokens < 0) return undefined;
  return { buckets: { inputFresh: tokens }, source: 'upstream', raw: usage };
}
