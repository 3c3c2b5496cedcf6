/** Embeddings of Google's models on Vertex: `:predict`, which has its own form of inputs, answers and counts. */
import { invalidRequest } from '../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { HttpParts } from '../protocol.ts';
import { protocolReasons } from '../reasons.ts';
import type { EmbeddingRequest, EmbeddingResponse, EmbeddingTarget, Vector } from './embedding.ts';
import { isNumberList } from './number-list.ts';

/** The newer models take one text in a call. */
export function maxInstances({ model }: EmbeddingTarget): number {
  return model.startsWith('gemini-') ? 1 : 250;
}

export function predictRequest(
  { inputs, dimensions, extras }: EmbeddingRequest,
  { model }: EmbeddingTarget,
  warnings: string[],
): HttpParts {
  const { task_type: task, title } = extras;
  const instances = inputs.map((content, index): JsonObject => {
    if (typeof content !== 'string') throw invalidRequest(`input.${index}`, protocolReasons.textsOnly);
    return {
      content,
      ...(typeof task === 'string' && { task_type: task }),
      ...(typeof title === 'string' && { title }),
    };
  });
  return {
    path: `/models/${encodeURIComponent(model)}:predict`,
    headers: { accept: 'application/json' },
    body: { instances, ...(dimensions !== undefined && { parameters: { outputDimensionality: dimensions } }) },
    warnings,
  };
}

/** Returns undefined when the body is no answer of this kind. One text without a count leaves the count to the gateway. */
export function readPredictions(body: Json): EmbeddingResponse | undefined {
  const predictions = isJsonObject(body) ? body['predictions'] : undefined;
  if (!Array.isArray(predictions)) return undefined;
  const vectors: Vector[] = [];
  let tokens: number | undefined = 0;
  for (const prediction of predictions) {
    const { values, statistics } = embeddingIn(prediction);
    if (!isNumberList(values)) return undefined;
    vectors.push(values);
    const count = isJsonObject(statistics) ? statistics['token_count'] : undefined;
    tokens = typeof count === 'number' && tokens !== undefined ? tokens + count : undefined;
  }
  if (tokens === undefined) return { vectors };
  return { vectors, usage: { buckets: { inputFresh: tokens }, source: 'upstream', raw: { token_count: tokens } } };
}

function embeddingIn(prediction: Json): JsonObject {
  const embeddings = isJsonObject(prediction) ? prediction['embeddings'] : undefined;
  return isJsonObject(embeddings) ? embeddings : {};
}
