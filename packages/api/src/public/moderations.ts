/** Moderation of texts and pictures, described. */
import Type from 'typebox';
import { Cost } from '../answers.ts';
import { ModelName, maybe, open, ServiceExtensionSchema } from '../bodies/parts.ts';
import { responseObject } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { PAID } from './usual-errors.ts';

const ModerationRequest = open(
  {
    model: maybe(ModelName),
    input: Type.Union([
      Type.String({ minLength: 1 }),
      Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 2_048 }),
      Type.Array(
        Type.Union([
          open({ type: Type.Literal('text'), text: Type.String({ minLength: 1 }) }),
          open({ type: Type.Literal('image_url'), image_url: open({ url: Type.String({ minLength: 1 }) }) }),
        ]),
        { minItems: 1, maxItems: 64, description: 'Texts and pictures that are judged together: one result.' },
      ),
    ]),
    svc: maybe(ServiceExtensionSchema),
  },
  'ModerationRequest',
);

const Moderation = responseObject(
  {
    id: Type.String(),
    model: Type.String(),
    results: Type.Array(
      responseObject({
        flagged: Type.Boolean({ description: 'Some category is true.' }),
        categories: Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.Null()])),
        category_scores: Type.Record(Type.String(), Type.Number()),
        category_applied_input_types: Type.Record(Type.String(), Type.Array(Type.String())),
      }),
    ),
    usage: responseObject({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer(), cost: Cost }),
  },
  'Moderation',
);

export const createModeration = describeRoute({
  method: 'POST',
  path: '/api/v1/moderations',
  access: { guard: 'key', endpoint: 'moderations' },
  operationId: 'createModeration',
  tag: 'Moderations',
  summary: { fa: 'بررسی متن و تصویر از نظر محتوای نامناسب', en: 'Texts and pictures judged' },
  body: ModerationRequest,
  result: Moderation,
  errors: PAID,
  example: { model: 'sandbox/moderate', input: ['سلام', 'hello'] },
});
