/** The body of POST /api/v1/completions. */
import Type from 'typebox';
import { AnyObject, ModelName, maybe, open, ServiceExtensionSchema, TokenCountSchema } from './parts.ts';

const Prompt = Type.String({ minLength: 1 });

export const CompletionRequest = open(
  {
    model: maybe(ModelName),
    prompt: Type.Union([Prompt, Type.Array(Prompt, { minItems: 1, maxItems: 1 })]),
    max_tokens: maybe(TokenCountSchema),
    temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    n: maybe(Type.Integer({ minimum: 1, maximum: 128 })),
    stop: maybe(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 16 })])),
    presence_penalty: maybe(Type.Number({ minimum: -2, maximum: 2 })),
    frequency_penalty: maybe(Type.Number({ minimum: -2, maximum: 2 })),
    logprobs: maybe(Type.Integer({ minimum: 0, maximum: 5 })),
    seed: maybe(Type.Integer()),
    stream: maybe(Type.Boolean()),
    stream_options: maybe(AnyObject),
    user: maybe(Type.String()),
    svc: maybe(ServiceExtensionSchema),
  },
  'CompletionRequest',
);
