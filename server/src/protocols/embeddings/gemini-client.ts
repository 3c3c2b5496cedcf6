/** `:embedContent` and `:batchEmbedContents` as Google's clients speak them; the SDKs send a single text as a batch of one. */
import { invalidRequest } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { decodeSystem } from '../gemini-generate/client/decode-parts.ts';
import { wireFields } from '../gemini-generate/client/wire-names.ts';
import { asArray, asObject, asString, integerBetween, optional } from '../read-fields.ts';
import { protocolReasons } from '../reasons.ts';
import { decodeServiceExtension } from '../service-extension.ts';
import type { EmbeddingRequest, EmbeddingResponse, Vector } from './embedding.ts';

const MAX_INPUTS = 2048;
const MAX_DIMENSIONS = 65_536;

interface Entry {
  text: string;
  dimensions: number | undefined;
  taskType: string | undefined;
  title: string | undefined;
}

export function decodeEmbedContent(body: JsonObject, model: string): EmbeddingRequest {
  return requestOf([readEntry(body, '')], body['svc'], model);
}

export function decodeBatchEmbed(body: JsonObject, model: string): EmbeddingRequest {
  const requests = asArray(body['requests'], 'requests', MAX_INPUTS);
  if (requests.length === 0) throw invalidRequest('requests', reasons.needsOne('requests'));
  const entries = requests.map((item, index) => readEntry(asObject(item, `requests.${index}`), `requests.${index}.`));
  return requestOf(entries, body['svc'], model);
}

function readEntry(entry: JsonObject, at: string): Entry {
  const { content, outputDimensionality, taskType, title } = wireFields(entry);
  const texts = decodeSystem(asObject(content, `${at}content`), `${at}content`);
  const text = texts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  if (text === '') throw invalidRequest(`${at}content`, protocolReasons.isEmpty(`${at}content`));
  return {
    text,
    dimensions: optional(outputDimensionality, `${at}outputDimensionality`, integerBetween(1, MAX_DIMENSIONS)),
    taskType: optional(taskType, `${at}taskType`, asString),
    title: optional(title, `${at}title`, asString),
  };
}

/** One request has one model, one size and one purpose: entries that differ in these are several requests. */
function requestOf(entries: readonly Entry[], svc: Json | undefined, model: string): EmbeddingRequest {
  const [first] = entries as [Entry, ...Entry[]];
  for (const [index, entry] of entries.entries()) {
    for (const name of ['dimensions', 'taskType'] as const) {
      if (entry[name] === first[name]) continue;
      const field = `requests.${index}.${name === 'dimensions' ? 'outputDimensionality' : name}`;
      throw invalidRequest(field, protocolReasons.sameInAll(field));
    }
  }
  const { dimensions, taskType } = first;
  return {
    model,
    inputs: entries.map(({ text }) => text),
    encoding: 'float',
    svc: decodeServiceExtension(svc),
    extras: {
      ...(taskType !== undefined && { task_type: taskType }),
      ...(first.title !== undefined && entries.length === 1 && { title: first.title }),
    },
    ...(dimensions !== undefined && { dimensions }),
  };
}

export function encodeEmbedContent({ vectors }: EmbeddingResponse): JsonObject {
  return { embedding: { values: numbersOf(vectors[0] ?? []) } };
}

export function encodeBatchEmbed({ vectors }: EmbeddingResponse): JsonObject {
  return { embeddings: vectors.map((vector) => ({ values: numbersOf(vector) })) };
}

function numbersOf(vector: Vector): number[] {
  return Array.from(vector);
}
