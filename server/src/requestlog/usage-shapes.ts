/**
 * Stores the usage that a provider reported without its field names. The same object comes with every answer of a
 * vendor, and only its numbers differ: an object of a known shape is written as the shape's letter and its values in
 * order, `["d",12,34,46,…]`, and is restored as it was. Any other object is written in full.
 */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { completionTokens, promptTokens, type Usage } from '../core/usage.ts';

/** Names of values in their order. A text with a list behind it is an object of that name. */
type Shape = readonly (string | readonly [string, readonly string[]])[];

const OF_CHAT = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const;
const OF_ANSWER = ['reasoning_tokens', 'audio_tokens', 'accepted_prediction_tokens', 'rejected_prediction_tokens'];
const CACHE_OF_CLAUDE = ['cache_creation', ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens']] as const;

/**
 * A letter is never reused for another shape, because rows contain it. The first value is computed from the tokens
 * where that is possible.
 */
const SHAPES: Readonly<Record<string, Shape>> = {
  c: OF_CHAT,
  d: [
    ...OF_CHAT,
    ['prompt_tokens_details', ['cached_tokens', 'audio_tokens']],
    ['completion_tokens_details', OF_ANSWER],
  ],
  e: [...OF_CHAT, ['prompt_tokens_details', ['cached_tokens']], ['completion_tokens_details', ['reasoning_tokens']]],
  f: [...OF_CHAT, ['prompt_tokens_details', ['cached_tokens']]],
  g: [...OF_CHAT, ['completion_tokens_details', ['reasoning_tokens']]],
  // DeepSeek
  h: [...OF_CHAT, ['prompt_tokens_details', ['cached_tokens']], 'prompt_cache_hit_tokens', 'prompt_cache_miss_tokens'],
  // Embeddings
  i: ['prompt_tokens', 'total_tokens'],
  // The Responses API
  r: [
    'input_tokens',
    ['input_tokens_details', ['cached_tokens']],
    'output_tokens',
    ['output_tokens_details', ['reasoning_tokens']],
    'total_tokens',
  ],
  // Anthropic
  k: ['input_tokens', 'output_tokens'],
  l: ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'],
  m: [
    'input_tokens',
    'cache_creation_input_tokens',
    'cache_read_input_tokens',
    CACHE_OF_CLAUDE,
    'output_tokens',
    'service_tier',
  ],
  // Gemini
  p: ['promptTokenCount', 'candidatesTokenCount', 'totalTokenCount'],
};

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries(SHAPES).map(([letter, shape]) => [signature(shape), letter]),
);
/** A name that is in no shape ends the search early. Known names contain no character that separates a signature. */
const NAMES: ReadonlySet<string> = new Set(
  Object.values(SHAPES).flatMap((shape) =>
    shape.flatMap((part) => (typeof part === 'string' ? [part] : [part[0], ...part[1]])),
  ),
);

function signature(shape: Shape): string {
  return shape.map((part) => (typeof part === 'string' ? `${part},` : `${part[0]}{${part[1].join(',')},}`)).join('');
}

/** Stands for an object that says what was counted and no more. No object is written so. */
export const AS_COUNTED = '0';

/** Returns AS_COUNTED, `["d",12,34,…]`, or undefined when the object has to be written in full. */
export function shapeText(raw: Json, usage: Usage): string | undefined {
  if (!isJsonObject(raw)) return undefined;
  if (saysWhatWasCounted(raw, usage)) return AS_COUNTED;
  let names = '';
  let values = '';
  for (const name in raw) {
    const value = raw[name];
    if (!NAMES.has(name) || value === undefined) return undefined;
    if (!isJsonObject(value)) {
      const text = scalarText(value);
      if (text === undefined) return undefined;
      names += `${name},`;
      values += `,${text}`;
      continue;
    }
    names += `${name}{`;
    for (const inner in value) {
      const text = NAMES.has(inner) ? scalarText(value[inner]) : undefined;
      if (text === undefined) return undefined;
      names += `${inner},`;
      values += `,${text}`;
    }
    names += '}';
  }
  const letter = LETTERS.get(names);
  return letter === undefined ? undefined : `["${letter}"${values}]`;
}

/** The usual answer: the names of chat in their order, with the tokens that were counted. */
function saysWhatWasCounted(raw: JsonObject, usage: Usage): boolean {
  const prompt = promptTokens(usage);
  const completion = completionTokens(usage);
  let at = 0;
  for (const name in raw) {
    const expected = at === 0 ? prompt : at === 1 ? completion : prompt + completion;
    if (name !== OF_CHAT[at] || raw[name] !== expected) return false;
    at++;
  }
  return at === OF_CHAT.length;
}

/** Restores what `shapeText` made, parsed; undefined for a shape that only a later version knows. */
export function rawOfShape(stored: readonly Json[], usage: Usage): JsonObject | undefined {
  const [letter, ...given] = stored;
  const shape = SHAPES[String(letter)];
  if (!shape) return undefined;
  const values = letter === 'c' && given.length === 0 ? counted(usage) : given;
  const raw: JsonObject = {};
  let at = 0;
  for (const part of shape) {
    if (typeof part === 'string') raw[part] = values[at++] ?? null;
    else raw[part[0]] = Object.fromEntries(part[1].map((name) => [name, values[at++] ?? null]));
  }
  return raw;
}

function counted(usage: Usage): number[] {
  const prompt = promptTokens(usage);
  const completion = completionTokens(usage);
  return [prompt, completion, prompt + completion];
}

function scalarText(value: Json | undefined): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  return value === null || typeof value === 'string' || typeof value === 'boolean' ? JSON.stringify(value) : undefined;
}
