/** Embeddings of Google's API: `batchEmbedContents`. */

import { invalidRequest } from '../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { decodeFailure, errorIn, failureOf } from '../gemini-generate/upstream/decode-failure.ts';
import { readUsage } from '../gemini-generate/usage.ts';
import { protocolReasons } from '../reasons.ts';
import type { EmbeddingRequest, EmbeddingTarget, EmbeddingUpstreamCodec, Vector } from './embedding.ts';
import { isNumberList } from './number-list.ts';
import { maxInstances, predictRequest, readPredictions } from './vertex-predict.ts';

/** Google's bound per call. */
const MAX_INPUTS = 100;
/** Fields that the wire has, by the names under which clients of any protocol may send them. */
const OWN_NAMES: Record<string, string> = { task_type: 'taskType', title: 'title' };

export const geminiEmbeddings: EmbeddingUpstreamCodec = {
  protocol: 'gemini-generate',
  encodeRequest(request, target) {
    const warnings = Object.keys(request.extras).filter((name) => !(name in OWN_NAMES));
    if (request.user !== undefined) warnings.push('user');
    if (target.quirks.cloud === 'vertex') return predictRequest(request, target, warnings.map(dropped));
    return {
      path: `/${modelPath(target)}:batchEmbedContents`,
      headers: { accept: 'application/json' },
      body: { requests: request.inputs.map((input, index) => encodeInput(input, index, request, target)) },
      warnings: warnings.map(dropped),
    };
  },
  decodeResponse(body, request) {
    const error = errorIn(body);
    if (error) return failureOf(error);
    const predicted = readPredictions(body);
    if (predicted && predicted.vectors.length === request.inputs.length) return predicted;
    const vectors = readVectors(body);
    if (vectors?.length !== request.inputs.length) {
      return { kind: 'malformed', message: `${vectors?.length ?? 'no'} vectors for ${request.inputs.length} inputs` };
    }
    const metadata = isJsonObject(body) ? body['usageMetadata'] : undefined;
    return { vectors, ...(isJsonObject(metadata) && { usage: readUsage(metadata) }) };
  },
  decodeFailure,
  maxInputs: (target) =>
    target.quirks.embeddings?.maxInputs ?? (target.quirks.cloud === 'vertex' ? maxInstances(target) : MAX_INPUTS),
};

function dropped(field: string): string {
  return `${field} dropped: the provider's API has no such field`;
}

function modelPath({ model }: EmbeddingTarget): string {
  return model.includes('/') ? model : `models/${model}`;
}

function encodeInput(
  input: string | number[],
  index: number,
  { dimensions, extras }: EmbeddingRequest,
  target: EmbeddingTarget,
): JsonObject {
  if (typeof input !== 'string') {
    const reason = protocolReasons.textsOnly;
    throw invalidRequest(`input.${index}`, reason);
  }
  return {
    model: modelPath(target),
    content: { parts: [{ text: input }] },
    ...(dimensions !== undefined && { outputDimensionality: dimensions }),
    ...ownFields(extras),
  };
}

function ownFields(extras: JsonObject): JsonObject {
  const fields: JsonObject = {};
  for (const name in OWN_NAMES) if (typeof extras[name] === 'string') fields[OWN_NAMES[name] as string] = extras[name];
  return fields;
}

function readVectors(body: Json): Vector[] | undefined {
  const embeddings = isJsonObject(body) ? body['embeddings'] : undefined;
  if (!Array.isArray(embeddings)) return undefined;
  const vectors: Vector[] = [];
  for (const embedding of embeddings) {
    const values = isJsonObject(embedding) ? embedding['values'] : undefined;
    if (!isNumberList(values)) return undefined;
    vectors.push(values);
  }
  return vectors;
}
