/** Pictures of OpenAI, of xAI, and of everybody who copied the endpoint. */
import type { UpstreamFailure } from '../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { passNamed } from '../passed-fields.ts';
import type { Quirks } from '../protocol.ts';
import { errorIn, inBandFailure } from '../provider-error.ts';
import type { DrawnImage, ImageRequest, ImageResponse } from './image.ts';
import { pixelsOf } from './image-client.ts';
import { encodePictureForm } from './picture-form.ts';

const PASSED = new Set(
  `model prompt n size quality background output_format output_compression moderation input_fidelity style seed aspect_ratio
  response_format stream partial_images user safety_identifier images mask image`.split(/\s+/),
);
/** OpenAI's own models always answer base64 and refuse to be asked for it; the others answer addresses unless they are. */
const ALWAYS_BASE64 = /^(?:gpt-image|chatgpt-image)/;

export interface EncodedImages {
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
  warnings: string[];
}

export function encodeOpenaiImages(
  request: ImageRequest,
  model: string,
  quirks: Quirks,
  boundary: () => string,
): EncodedImages {
  const { task, pictures, mask } = request;
  const warnings: string[] = [];
  const fields = passNamed(PASSED, fieldsOf(request, model, quirks), quirks, warnings);
  for (const field of quirks.dropFields ?? []) delete fields[field];
  const path = `/images/${task}`;
  const isForm =
    task === 'edits' &&
    quirks.imageStyle !== 'xai' &&
    [...pictures, mask ?? 'data:'].every((one) => one.startsWith('data:'));
  if (isForm) return { path, warnings, ...encodePictureForm(fields, pictures, mask, boundary()) };
  const seen: JsonObject = task === 'edits' ? { images: pictures.map((url) => ({ image_url: url })) } : {};
  if (mask !== undefined) seen['mask'] = { image_url: mask };
  const headers = { accept: request.stream ? 'text/event-stream' : 'application/json' };
  return { path, headers, body: JSON.stringify({ ...fields, ...seen }), warnings };
}

function fieldsOf(request: ImageRequest, model: string, { imageStyle }: Quirks): JsonObject {
  const { prompt, count, size, quality, stream, partials, user, extras } = request;
  const common = { ...extras, model, prompt, ...(count > 1 && { n: count }) };
  if (imageStyle === 'xai') {
    const ratio = size === undefined ? undefined : ratioOf(size);
    return { ...common, response_format: 'b64_json', ...(ratio !== undefined && { aspect_ratio: ratio }) };
  }
  return {
    ...common,
    ...(size !== undefined && { size }),
    ...(quality !== undefined && { quality }),
    ...(user !== undefined && { user }),
    ...(stream && { stream, ...(partials !== undefined && { partial_images: partials }) }),
    ...(!ALWAYS_BASE64.test(model) && { response_format: 'b64_json' }),
  };
}

const RATIOS = ['1:1', '3:2', '2:3', '4:3', '3:4', '16:9', '9:16', '2:1', '1:2'];

/** The ratio of sides that a size is nearest to; undefined for `auto`. */
export function ratioOf(size: string): string | undefined {
  const pixels = pixelsOf(size);
  if (!pixels) return undefined;
  const wanted = Math.log(pixels[0] / pixels[1]);
  const distance = (ratio: string) => {
    const [width = 1, height = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log(width / height) - wanted);
  };
  return RATIOS.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

/** Vendors that return addresses by default may do so even when asked for bytes; their pictures are fetched first. */
export function addressesIn(answer: Json | undefined): string[] {
  const data = isJsonObject(answer) && Array.isArray(answer['data']) ? answer['data'] : [];
  return data.flatMap((item) => {
    const url = isJsonObject(item) && !item['b64_json'] ? item['url'] : undefined;
    return typeof url === 'string' ? [url] : [];
  });
}

/** The answer with the bytes of its addresses, in their order. */
export function withFetched(answer: Json | undefined, fetched: readonly string[]): Json | undefined {
  if (!isJsonObject(answer) || !Array.isArray(answer['data'])) return answer;
  const rest = [...fetched];
  const data = answer['data'].map((item) =>
    isJsonObject(item) && !item['b64_json'] && typeof item['url'] === 'string'
      ? { ...item, b64_json: rest.shift() ?? '' }
      : item,
  );
  return { ...answer, data };
}

export function decodeOpenaiImages(answer: Json | undefined): ImageResponse | UpstreamFailure {
  const data = isJsonObject(answer) ? answer['data'] : undefined;
  if (!isJsonObject(answer) || !Array.isArray(data)) {
    const error = isJsonObject(answer) ? errorIn(answer) : undefined;
    return error ? inBandFailure(error) : { kind: 'malformed', message: 'an answer without data' };
  }
  const images: DrawnImage[] = [];
  for (const item of data) {
    const base64 = isJsonObject(item) ? item['b64_json'] : undefined;
    if (!isJsonObject(item) || typeof base64 !== 'string' || base64 === '')
      return { kind: 'malformed', message: 'an address or nothing instead of a picture' };
    const revised = item['revised_prompt'];
    images.push({ base64, ...(typeof revised === 'string' && revised !== '' && { revisedPrompt: revised }) });
  }
  if (images.length === 0) return { kind: 'empty', message: 'no picture' };
  const { usage } = answer;
  const counted = readImageTokens(usage);
  return { images, facts: imageFacts(answer), ...(counted && { counted, raw: usage as JsonObject }) };
}

function imageFacts(answer: JsonObject): JsonObject {
  const facts: JsonObject = {};
  for (const name of ['size', 'quality', 'background', 'output_format'])
    if (typeof answer[name] === 'string') facts[name] = answer[name];
  return facts;
}

/** Where output is not split, all of it is the picture: text is separated only where its count is reported. */
export function readImageTokens(usage: Json | undefined): Usage['buckets'] | undefined {
  if (!isJsonObject(usage)) return undefined;
  const [input, output] = [count(usage['input_tokens']), count(usage['output_tokens'])];
  if (input === undefined || output === undefined) return undefined;
  const seen = Math.min(input, count(detail(usage['input_tokens_details'], 'image_tokens')) ?? 0);
  const written = Math.min(output, count(detail(usage['output_tokens_details'], 'text_tokens')) ?? 0);
  return {
    inputFresh: input - seen,
    ...(seen > 0 && { imageInput: seen }),
    ...(written > 0 && { output: written }),
    imageOutput: output - written,
  };
}

function detail(details: Json | undefined, name: string): Json | undefined {
  return isJsonObject(details) ? details[name] : undefined;
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
