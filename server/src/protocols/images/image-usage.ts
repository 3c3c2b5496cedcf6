/** The usage of pictures: per picture or by tokens, as the model is priced, never both. */
import type { JsonObject } from '../../core/json.ts';
import type { Price } from '../../core/price.ts';
import type { PictureKind, Usage } from '../../core/usage.ts';
import type { ImageRequest } from './image.ts';
import { pixelsOf } from './image-client.ts';

/** Output tokens of a square of 1024 points, as OpenAI counts them. */
const TOKENS: Readonly<Record<string, number>> = { low: 272, medium: 1_056, high: 4_160, xhigh: 8_320, max: 16_640 };
const SQUARE = 1024 * 1024;
/** A preview in a stream is billed too. */
const PARTIAL_TOKENS = 100;
const PICTURE_TOKENS = { likely: 800, most: 6_500 };

/** The usage of a request that was answered without a count, or (`most`) that is not answered yet. */
export function estimateImages(
  price: Price,
  request: ImageRequest,
  promptTokens: number,
  most: boolean,
  kind: PictureKind = {},
): Usage {
  const { count, pictures, partials = 0 } = request;
  if (price.perUnit.images !== undefined)
    return { buckets: { images: count }, source: 'estimated', ...(price.pictures && { picture: kind }) };
  const each = outputTokens(request, most) + (request.stream ? partials * PARTIAL_TOKENS : 0);
  const seen = pictures.length * (most ? PICTURE_TOKENS.most : PICTURE_TOKENS.likely);
  return {
    buckets: { inputFresh: promptTokens, ...(seen > 0 && { imageInput: seen }), imageOutput: count * each },
    source: 'estimated',
  };
}

function outputTokens({ size = 'auto', quality = 'auto' }: ImageRequest, most: boolean): number {
  const [width, height] = pixelsOf(size) ?? (most ? [1536, 1024] : [1024, 1024]);
  const square = TOKENS[quality] ?? (most ? 4_160 : 1_056);
  return Math.ceil((square * Math.max(SQUARE / 4, width * height)) / SQUARE);
}

/**
 * What is known of a picture's kind: what its provider reports, else what it was asked for. `auto`, and fields that
 * were not sent, say nothing; then the most expensive kind is held and charged.
 */
export function pictureKind(request: ImageRequest, facts: JsonObject, isSent: boolean): PictureKind {
  const told = (name: 'size' | 'quality'): string | undefined => {
    const word = facts[name] ?? (isSent ? request[name] : undefined);
    return typeof word === 'string' && word !== 'auto' ? word : undefined;
  };
  const [size, quality] = [told('size'), told('quality')];
  return { ...(size !== undefined && { size }), ...(quality !== undefined && { quality }) };
}

/** What is charged for `images` pictures that came. */
export function imageUsage(
  price: Price,
  request: ImageRequest,
  came: { images: number; counted: Usage['buckets'] | undefined; raw?: Usage['raw']; picture?: PictureKind },
  promptTokens: number,
): Usage {
  const { images, counted, raw, picture } = came;
  const kept = { ...(raw !== undefined && { raw }), ...(price.pictures && picture && { picture }) };
  if (price.perUnit.images !== undefined) return { buckets: { images }, source: 'upstream', ...kept };
  if (counted) return { buckets: counted, source: 'upstream', ...kept };
  return estimateImages(price, { ...request, count: images }, promptTokens, false);
}
