/** `POST /embeddings` as OpenAI's clients speak it. */

import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { type Money, toTomanNumber } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { promptTokens, type Usage } from '../../core/usage.ts';
import { asName, asString, fieldsBeside, integerBetween, oneOf, optional } from '../read-fields.ts';
import { protocolReasons } from '../reasons.ts';
import { decodeServiceExtension } from '../service-extension.ts';
import type { EmbeddingEncoding, EmbeddingRequest, EmbeddingResponse, NumberKind, Vector } from './embedding.ts';
import { packBytes, packFloats } from './packed-floats.ts';

/** OpenAI's own bound. */
const MAX_INPUTS = 2048;

const MAX_DIMENSIONS = 65_536;
const MAX_NAME_CHARS = 512;

const MODELLED = new Set(['model', 'input', 'dimensions', 'encoding_format', 'user', 'svc']);
const asEncoding = oneOf(['float', 'base64']);
const asNumberKind = oneOf<NumberKind>(['float', 'int8', 'uint8', 'binary', 'ubinary']);
const asToken = integerBetween(0, 0xffff_ffff);

export interface EmbeddingView {
  /** The public model id. */
  model: string;
  encoding: EmbeddingEncoding;
  numbers?: NumberKind;
}

/** Throws GatewayError invalid_request naming the `param`. */
export function decodeEmbeddingRequest(body: JsonObject): EmbeddingRequest {
  const inputs = readInputs(body['input']);
  const dimensions = optional(body['dimensions'], 'dimensions', integerBetween(1, MAX_DIMENSIONS));
  const user = optional(body['user'], 'user', asString);
  const numbers = optional(body['output_dtype'], 'output_dtype', asNumberKind);
  return {
    model: optional(body['model'], 'model', (value, param) => asName(value, param, MAX_NAME_CHARS)),
    inputs,
    encoding: optional(body['encoding_format'], 'encoding_format', asEncoding) ?? 'float',
    svc: decodeServiceExtension(body['svc']),
    extras: fieldsBeside(body, MODELLED) ?? {},
    ...(dimensions !== undefined && { dimensions }),
    ...(user !== undefined && { user }),
    ...(numbers !== undefined && { numbers }),
  };
}

/** Reads a text, a list of texts, one list of tokens, or a list of such lists. */
function readInputs(input: Json | undefined): (string | number[])[] {
  if (input === undefined || input === null) throw invalidRequest('input', reasons.required('input'));
  if (typeof input === 'string') return [readText(input, 'input')];
  if (!Array.isArray(input)) throw invalidRequest('input', reasons.mustBe('input', expected.prompts));
  if (input.length === 0) throw invalidRequest('input', reasons.required('input'));
  if (typeof input[0] === 'number') return [readTokens(input, 'input')];
  if (input.length > MAX_INPUTS) throw invalidRequest('input', reasons.tooLong('input', MAX_INPUTS));
  // The first item decides; a mixed list is refused.
  const read = Array.isArray(input[0]) ? readTokens : readText;
  return input.map((item, index) => read(item, `input.${index}`));
}

function readText(value: Json, param: string): string {
  const text = asString(value, param);
  if (text !== '') return text;
  throw invalidRequest(param, protocolReasons.isEmpty(param));
}

function readTokens(value: Json, param: string): number[] {
  if (!Array.isArray(value) || value.length === 0) throw invalidRequest(param, reasons.mustBe(param, expected.tokens));
  return value.map((token, index) => asToken(token, `${param}.${index}`));
}

export function encodeEmbeddingResponse(
  { vectors }: EmbeddingResponse,
  { model, encoding, numbers = 'float' }: EmbeddingView,
  { usage, cost }: { usage: Usage; cost: Money },
): JsonObject {
  const tokens = promptTokens(usage);
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encodeVector(vector, encoding, numbers),
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens, cost: toTomanNumber(cost) },
  };
}

/**
 * Writes exactly the form that was asked for: an SDK that asked for base64 reads a list of numbers as garbage, without an
 * error.
 */
function encodeVector(vector: Vector, encoding: EmbeddingEncoding, numbers: NumberKind): Json {
  if (encoding === 'base64') return numbers === 'float' ? packFloats(vector) : packBytes(vector);
  return vector instanceof Float32Array ? Array.from(vector) : [...vector];
}
