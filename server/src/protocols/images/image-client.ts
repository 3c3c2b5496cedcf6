/** `POST /images/generations` and `/images/edits` as OpenAI's clients speak them. */
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { type Money, toTomanNumber } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import { completionTokens, promptTokens, totalTokens, type Usage } from '../../core/usage.ts';
import { asArray, asBoolean, asName, asString, fieldsBeside, integerBetween, oneOf, optional } from '../read-fields.ts';
import { protocolReasons } from '../reasons.ts';
import { decodeServiceExtension } from '../service-extension.ts';
import type { ImageRequest, ImageResponse } from './image.ts';

const MAX_NAME_CHARS = 512;
const MAX_PROMPT_CHARS = 32_000;
const MAX_PICTURES = 16;
const MODELLED = new Set(
  'model prompt n size quality stream partial_images response_format image images mask user svc'.split(' '),
);
const asCount = integerBetween(1, 10);
const asPartials = integerBetween(0, 3);
/** Addresses are ours: the provider's own would tell who it is. */
const asFormat = oneOf(['b64_json', 'url']);
const asWord = (value: Json, param: string) => asName(value, param, 64);

/** Throws GatewayError invalid_request naming the `param`. */
export function decodeImageRequest(body: JsonObject, task: ImageRequest['task']): ImageRequest {
  const byAddress = optional(body['response_format'], 'response_format', asFormat) === 'url';
  const size = optional(body['size'], 'size', readSize);
  const quality = optional(body['quality'], 'quality', asWord);
  const partials = optional(body['partial_images'], 'partial_images', asPartials);
  const user = optional(body['user'], 'user', asString);
  const stream = optional(body['stream'], 'stream', asBoolean) ?? false;
  const count = optional(body['n'], 'n', asCount) ?? 1;
  // The events of several pictures cannot be told apart.
  if (stream && count > 1) throw invalidRequest('n', reasons.mustBe('n', expected.exactly('1')));
  if (stream && byAddress)
    throw invalidRequest('response_format', reasons.mustBe('response_format', expected.exactly('b64_json')));
  const mask = task === 'edits' ? optional(body['mask'], 'mask', readPicture) : undefined;
  return {
    model: optional(body['model'], 'model', (value, param) => asName(value, param, MAX_NAME_CHARS)),
    task,
    prompt: readPrompt(body['prompt']),
    count,
    stream,
    pictures: task === 'edits' ? readPictures(body['images'] ?? body['image']) : [],
    svc: decodeServiceExtension(body['svc']),
    extras: fieldsBeside(body, MODELLED) ?? {},
    ...(byAddress && { byAddress }),
    ...(size !== undefined && { size }),
    ...(quality !== undefined && { quality }),
    ...(partials !== undefined && { partials }),
    ...(mask !== undefined && { mask }),
    ...(user !== undefined && { user }),
  };
}

function readPrompt(value: Json | undefined): string {
  const prompt = asString(value, 'prompt');
  if (prompt.trim() === '') throw invalidRequest('prompt', protocolReasons.isEmpty('prompt'));
  if (prompt.length > MAX_PROMPT_CHARS) throw invalidRequest('prompt', reasons.tooLong('prompt', MAX_PROMPT_CHARS));
  return prompt;
}

function readSize(value: Json, param: string): string {
  const size = asName(value, param, 32);
  if (size === 'auto' || pixelsOf(size) !== undefined) return size;
  throw invalidRequest(param, reasons.mustBe(param, expected.exactly('1024x1024')));
}

/** Returns width and height; undefined for any other form. */
export function pixelsOf(size: string): [width: number, height: number] | undefined {
  const [width, height, ...more] = size.split('x').map(Number);
  const fits = (side: number | undefined) => Number.isInteger(side) && Number(side) >= 16 && Number(side) <= 4096;
  return more.length === 0 && fits(width) && fits(height) ? [width as number, height as number] : undefined;
}

function readPictures(value: Json | undefined): string[] {
  if (value === undefined || value === null) throw invalidRequest('image', reasons.required('image'));
  const list = Array.isArray(value) ? asArray(value, 'images', MAX_PICTURES) : [value];
  if (list.length === 0) throw invalidRequest('images', reasons.needsOne('images'));
  return list.map((item, at) => readPicture(item, `images.${at}`));
}

function readPicture(value: Json, param: string): string {
  const url = asString(isJsonObject(value) ? value['image_url'] : value, param);
  if (url.startsWith('https://') || (url.startsWith('data:image/') && url.includes(';base64,'))) return url;
  throw invalidRequest(param, reasons.mustBe(param, expected.image));
}

export interface ImageClosing {
  usage: Usage;
  cost: Money;
}

export function encodeImageResponse(
  { images, facts }: ImageResponse,
  created: number,
  closing: ImageClosing,
): JsonObject {
  return {
    created,
    ...facts,
    data: images.map(({ base64, address, revisedPrompt }) => ({
      ...(address === undefined ? { b64_json: base64 } : { url: address }),
      ...(revisedPrompt !== undefined && { revised_prompt: revisedPrompt }),
    })),
    usage: imageUsageResponse(closing),
  };
}

export function imageUsageResponse({ usage, cost }: ImageClosing): JsonObject {
  const { inputFresh = 0, cacheRead = 0, imageInput = 0, images } = usage.buckets;
  return {
    input_tokens: promptTokens(usage),
    input_tokens_details: { text_tokens: inputFresh + cacheRead, image_tokens: imageInput },
    output_tokens: completionTokens(usage),
    total_tokens: totalTokens(usage),
    ...(images !== undefined && { images }),
    cost: toTomanNumber(cost),
  };
}
