/** Generating and editing pictures, described. */
import Type from 'typebox';
import { Cost } from '../answers.ts';
import { ModelName, maybe, open, ServiceExtensionSchema, words } from '../bodies/parts.ts';
import { responseObject } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { PAID } from './usual-errors.ts';

const COMMON = {
  model: maybe(ModelName),
  prompt: Type.String({ minLength: 1, maxLength: 32_000 }),
  n: maybe(Type.Integer({ minimum: 1, maximum: 10 })),
  size: maybe(
    Type.String({ description: '`auto` or `WIDTHxHEIGHT`, as the model takes it.', examples: ['1024x1024'] }),
  ),
  quality: maybe(Type.String({ description: '`auto`, `low`, `medium`, `high`, or a word of the model’s own.' })),
  output_format: maybe(words('png', 'jpeg', 'webp')),
  response_format: maybe(
    Type.Enum(['b64_json', 'url'], {
      description: '`url`: an address of this service, which holds for an hour; whoever has it sees the picture.',
    }),
  ),
  stream: maybe(Type.Boolean({ description: 'One picture as events; `partial_images` come before it.' })),
  partial_images: maybe(Type.Integer({ minimum: 0, maximum: 3 })),
  user: maybe(Type.String()),
};
const Picture = Type.Union([
  open({ image_url: Type.String({ description: 'An https address or a data URL.' }) }),
  Type.String({ minLength: 1 }),
]);

const ImageRequest = open({ ...COMMON, svc: maybe(ServiceExtensionSchema) }, 'ImageRequest');
const ImageEditForm = open(
  {
    ...COMMON,
    image: Type.Optional(Type.String({ format: 'binary', description: 'One file, or several as `image[]`.' })),
    images: maybe(
      Type.Array(Picture, { minItems: 1, maxItems: 16, description: 'In a JSON body, instead of `image`.' }),
    ),
    mask: Type.Optional(Type.String({ format: 'binary' })),
  },
  'ImageEditForm',
);

const Images = responseObject(
  {
    created: Type.Integer(),
    data: Type.Array(
      responseObject({
        b64_json: Type.Optional(Type.String()),
        url: Type.Optional(Type.String()),
        revised_prompt: Type.Optional(Type.String()),
      }),
    ),
    size: Type.Optional(Type.String()),
    quality: Type.Optional(Type.String()),
    output_format: Type.Optional(Type.String()),
    usage: responseObject({
      input_tokens: Type.Integer(),
      output_tokens: Type.Integer(),
      total_tokens: Type.Integer(),
      images: Type.Optional(Type.Integer()),
      cost: Cost,
    }),
  },
  'Images',
);

export const createImage = describeRoute({
  method: 'POST',
  path: '/api/v1/images/generations',
  access: { guard: 'key', endpoint: 'images.generations' },
  operationId: 'createImage',
  tag: 'Images',
  summary: { fa: 'ساخت تصویر از متن', en: 'Pictures drawn from a text' },
  body: ImageRequest,
  result: Images,
  streams: true,
  errors: PAID,
  example: { model: 'sandbox/image', prompt: 'کوه دماوند در برف', size: '256x256' },
});

export const editImage = describeRoute({
  method: 'POST',
  path: '/api/v1/images/edits',
  access: { guard: 'key', endpoint: 'images.edits' },
  operationId: 'editImage',
  tag: 'Images',
  summary: { fa: 'تغییر تصویر با متن', en: 'Pictures changed by a text' },
  description: 'A form with files, or JSON with `images`.',
  body: ImageEditForm,
  bodyType: 'multipart/form-data',
  result: Images,
  streams: true,
  errors: PAID,
});
