/** Pictures of Google's models, which are chats that draw: one picture for each call. */
import { invalidRequest } from '../../core/errors.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import type { Usage } from '../../core/usage.ts';
import { errorIn, failureOf } from '../gemini-generate/upstream/decode-failure.ts';
import { readUsage } from '../gemini-generate/usage.ts';
import type { ImageRequest, ImageResponse } from './image.ts';
import { pixelsOf } from './image-client.ts';
import { type EncodedImages, ratioOf } from './openai-images.ts';

export function encodeGeminiImages(request: ImageRequest, model: string): EncodedImages {
  const { prompt, size, pictures, mask, extras } = request;
  if (mask !== undefined) throw invalidRequest('mask', reasons.notCarried('mask'));
  const parts: JsonObject[] = [{ text: prompt }, ...pictures.map(inlineData)];
  const ratio = size === undefined ? undefined : ratioOf(size);
  const large = Math.max(...(pixelsOf(size ?? 'auto') ?? [0])) > 1536;
  const imageConfig = { ...(ratio !== undefined && { aspectRatio: ratio }), ...(large && { imageSize: '2K' }) };
  const generationConfig = {
    responseModalities: ['TEXT', 'IMAGE'],
    ...(Object.keys(imageConfig).length > 0 && { imageConfig }),
  };
  const dropped = [...Object.keys(extras), ...(request.quality === undefined ? [] : ['quality'])];
  return {
    path: `/${model.includes('/') ? model : `models/${model}`}:generateContent`,
    headers: { accept: 'application/json' },
    body: JSON.stringify({ contents: [{ role: 'user', parts }], generationConfig }),
    warnings: dropped.map((field) => `${field} dropped: the provider's API has no such field`),
  };
}

function inlineData(url: string, at: number): JsonObject {
  const comma = url.indexOf(';base64,');
  if (!url.startsWith('data:') || comma < 0) throw invalidRequest(`images.${at}`, reasons.notCarried(`images.${at}`));
  return { inlineData: { mimeType: url.slice('data:'.length, comma), data: url.slice(comma + ';base64,'.length) } };
}

export function decodeGeminiImages(answer: Json | undefined): ImageResponse | UpstreamFailure {
  const error = answer === undefined ? undefined : errorIn(answer);
  if (error) return failureOf(error);
  if (!isJsonObject(answer)) return { kind: 'malformed', message: 'the body is not a JSON object' };
  const [candidate] = Array.isArray(answer['candidates']) ? answer['candidates'] : [];
  const content = isJsonObject(candidate) ? candidate['content'] : undefined;
  const parts = isJsonObject(content) && Array.isArray(content['parts']) ? content['parts'] : [];
  const images = parts.flatMap((part) => {
    const data = isJsonObject(part) && isJsonObject(part['inlineData']) ? part['inlineData']['data'] : undefined;
    return typeof data === 'string' && data !== '' ? [{ base64: data }] : [];
  });
  if (images.length === 0) {
    const why = isJsonObject(candidate) ? String(candidate['finishReason'] ?? '') : '';
    return { kind: why.startsWith('IMAGE_') ? 'client-fault' : 'empty', message: `no picture: ${why}` };
  }
  const metadata = answer['usageMetadata'];
  return {
    images,
    facts: {},
    ...(isJsonObject(metadata) && { counted: countedOf(metadata), raw: metadata }),
  };
}

/** The caption is counted with the picture; the details say how much of it is the picture, and it costs far more. */
function countedOf(metadata: JsonObject): Usage['buckets'] {
  const { buckets } = readUsage(metadata);
  const details = Array.isArray(metadata['candidatesTokensDetails']) ? metadata['candidatesTokensDetails'] : undefined;
  const drawn = details?.reduce<number>((sum, one) => {
    const tokens = isJsonObject(one) && one['modality'] === 'IMAGE' ? one['tokenCount'] : 0;
    return sum + (typeof tokens === 'number' ? tokens : 0);
  }, 0);
  const output = buckets.output ?? 0;
  const imageOutput = Math.min(output, drawn ?? output);
  return { ...buckets, output: output - imageOutput, imageOutput };
}
