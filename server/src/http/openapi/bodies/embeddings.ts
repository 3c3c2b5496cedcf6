/** The body of POST /api/v1/embeddings. */
import Type from 'typebox';
import { ModelName, maybe, open, ServiceExtensionSchema, words } from './parts.ts';

const Tokens = Type.Array(Type.Integer({ minimum: 0, maximum: 0xffff_ffff }), { minItems: 1 });
const Text = Type.String({ minLength: 1 });

export const EmbeddingsRequest = open(
  {
    model: maybe(ModelName),
    input: Type.Union([
      Text,
      Type.Array(Text, { minItems: 1, maxItems: 2_048 }),
      Tokens,
      Type.Array(Tokens, { minItems: 1, maxItems: 2_048 }),
    ]),
    dimensions: maybe(Type.Integer({ minimum: 1, maximum: 65_536 })),
    encoding_format: maybe(words('float', 'base64')),
    user: maybe(Type.String()),
    svc: maybe(ServiceExtensionSchema),
  },
  'EmbeddingsRequest',
);
