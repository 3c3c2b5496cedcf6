/**
 * Embeddings without a model: character trigrams and words hashed into a unit vector. Texts that share words and word parts
 * lie close together, in any script; meaning it does not know.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { jsonReply, type LocalAnswer } from './local-reply.ts';

const DEFAULT_DIMENSIONS = 384;
const MAX_DIMENSIONS = 4096;

export function simulateEmbeddings(body: JsonObject): LocalAnswer {
  const inputs = inputsOf(body['input']);
  const asked = body['dimensions'];
  const dimensions =
    typeof asked === 'number' && asked >= 1 ? Math.min(MAX_DIMENSIONS, Math.floor(asked)) : DEFAULT_DIMENSIONS;
  const base64 = body['encoding_format'] === 'base64';
  const data = inputs.map((text, index) => {
    const vector = sandboxVector(text, dimensions);
    const embedding = base64 ? Buffer.from(vector.buffer).toString('base64') : Array.from(vector);
    return { object: 'embedding', index, embedding };
  });
  const tokens = inputs.reduce((sum, text) => sum + Math.max(1, Math.ceil(text.length / 4)), 0);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return jsonReply(200, {
    object: 'list',
    model: typeof body['model'] === 'string' ? body['model'] : 'embed',
    data,
    usage,
  });
}

/** A text, texts, tokens, or lists of tokens. */
function inputsOf(input: Json | undefined): string[] {
  if (!Array.isArray(input)) return [textOf(input)];
  if (input.every((item) => typeof item === 'number')) return [input.join(' ')];
  return input.map(textOf);
}

function textOf(item: Json | undefined): string {
  if (typeof item === 'string') return item;
  return Array.isArray(item) ? item.join(' ') : isJsonObject(item) ? JSON.stringify(item) : '';
}

export function sandboxVector(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    add(vector, `=${word}`, 2);
    const padded = `^${word}$`;
    for (let i = 0; i + 3 <= padded.length; i++) add(vector, padded.slice(i, i + 3), 1);
  }
  const length = Math.hypot(...vector);
  // A text without letters still needs a direction: similarity with the zero vector is undefined.
  if (length === 0) vector[0] = 1;
  else for (let i = 0; i < dimensions; i++) vector[i] = (vector[i] as number) / length;
  return vector;
}

function add(vector: Float32Array, feature: string, weight: number): void {
  let hash = 0x811c9dc5;
  for (let i = 0; i < feature.length; i++) hash = Math.imul(hash ^ feature.charCodeAt(i), 0x01000193);
  const at = (hash >>> 0) % vector.length;
  // The sign comes from a bit the index did not use up, so that collisions cancel instead of adding.
  const sign = Math.imul(hash, 0x9e3779b1) >>> 31 === 0 ? 1 : -1;
  vector[at] = (vector[at] as number) + sign * weight;
}
