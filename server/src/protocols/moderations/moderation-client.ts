/** `POST /moderations` as OpenAI's clients speak it. */
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { type Money, toTomanNumber } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { promptTokens, type Usage } from '../../core/usage.ts';
import { asArray, asName, asObject, asString, fieldsBeside, oneOf, optional } from '../read-fields.ts';
import { protocolReasons } from '../reasons.ts';
import { decodeServiceExtension } from '../service-extension.ts';
import type { ModerationRequest, ModerationResponse } from './moderation.ts';

const MAX_TEXTS = 2_048;
const MAX_PARTS = 64;
const MAX_NAME_CHARS = 512;
const MODELLED = new Set(['model', 'input', 'svc']);
const asPartType = oneOf(['text', 'image_url']);

/** Throws GatewayError invalid_request naming the `param`. */
export function decodeModerationRequest(body: JsonObject): ModerationRequest {
  return {
    model: optional(body['model'], 'model', (value, param) => asName(value, param, MAX_NAME_CHARS)),
    ...readInput(body['input']),
    svc: decodeServiceExtension(body['svc']),
    extras: fieldsBeside(body, MODELLED) ?? {},
  };
}

function readInput(input: Json | undefined): Pick<ModerationRequest, 'texts' | 'pictures'> {
  if (typeof input === 'string') return { texts: [readText(input, 'input')], pictures: [] };
  if (input === undefined || input === null) throw invalidRequest('input', reasons.required('input'));
  if (!Array.isArray(input)) throw invalidRequest('input', reasons.mustBe('input', expected.textOrParts));
  if (input.length === 0) throw invalidRequest('input', reasons.needsOne('input'));
  // The first item decides; a mixed list is refused.
  if (isJsonObject(input[0])) return readParts(asArray(input, 'input', MAX_PARTS));
  return { texts: asArray(input, 'input', MAX_TEXTS).map((item, at) => readText(item, `input.${at}`)), pictures: [] };
}

/** Parts are judged together, so texts of a list without pictures are one text. */
function readParts(parts: Json[]): Pick<ModerationRequest, 'texts' | 'pictures'> {
  const texts: string[] = [];
  const pictures: string[] = [];
  for (const [at, item] of parts.entries()) {
    const param = `input.${at}`;
    const part = asObject(item, param);
    if (asPartType(part['type'], `${param}.type`) === 'text') texts.push(readText(part['text'], `${param}.text`));
    else pictures.push(readPicture(part['image_url'], `${param}.image_url`));
  }
  return { texts: pictures.length > 0 || texts.length === 0 ? texts : [texts.join('\n')], pictures };
}

function readPicture(value: Json | undefined, param: string): string {
  const url = asString(asObject(value, param)['url'], `${param}.url`);
  if (url.startsWith('https://') || url.startsWith('data:image/')) return url;
  throw invalidRequest(`${param}.url`, reasons.mustBe(`${param}.url`, expected.image));
}

function readText(value: Json | undefined, param: string): string {
  const text = asString(value, param);
  if (text !== '') return text;
  throw invalidRequest(param, protocolReasons.isEmpty(param));
}

export function encodeModerationResponse(
  { results }: ModerationResponse,
  { id, model }: { id: string; model: string },
  { usage, cost }: { usage: Usage; cost: Money },
): JsonObject {
  const tokens = promptTokens(usage);
  return {
    id,
    model,
    results: results.map(({ flagged, categories, scores, appliedTo }) => ({
      flagged,
      categories,
      category_scores: scores,
      category_applied_input_types: appliedTo,
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens, cost: toTomanNumber(cost) },
  };
}
