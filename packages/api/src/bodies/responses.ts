/** The body of POST /api/v1/responses. Items and tools of unknown type are carried to providers of the protocol. */
import Type from 'typebox';
import { AnyObject, ModelName, maybe, open, ServiceExtensionSchema, TokenCountSchema, words } from './parts.ts';

const Item = open(
  {
    type: maybe(
      Type.String({
        description:
          '`message` (the default), `function_call`, `function_call_output`, `custom_tool_call`, `custom_tool_call_output`, `reasoning`; others are carried along.',
      }),
    ),
  },
  'ResponseItem',
);

export const CompactRequest = open(
  {
    model: maybe(ModelName),
    input: maybe(Type.Union([Type.String(), Type.Array(Item, { maxItems: 10_000 })])),
    instructions: maybe(Type.String()),
    previous_response_id: maybe(Type.String({ minLength: 1, maxLength: 128 })),
    prompt_cache_key: maybe(Type.String()),
    svc: maybe(ServiceExtensionSchema),
  },
  'CompactRequest',
);

export const ResponsesRequest = open(
  {
    model: maybe(ModelName),
    input: Type.Union([Type.String(), Type.Array(Item, { maxItems: 10_000 })]),
    instructions: maybe(Type.String()),
    max_output_tokens: maybe(TokenCountSchema),
    temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    top_logprobs: maybe(Type.Integer({ minimum: 0, maximum: 20 })),
    tools: maybe(Type.Array(AnyObject, { maxItems: 1_024 })),
    parallel_tool_calls: maybe(Type.Boolean()),
    reasoning: maybe(AnyObject),
    text: maybe(AnyObject),
    truncation: maybe(words('auto', 'disabled')),
    store: maybe(Type.Boolean()),
    background: maybe(Type.Boolean({ description: 'Answered at once; the end is read by the id of the answer.' })),
    previous_response_id: maybe(Type.String({ minLength: 1, maxLength: 128 })),
    conversation: maybe(
      Type.Union([
        Type.String({ minLength: 1, maxLength: 128 }),
        open({ id: Type.String({ minLength: 1, maxLength: 128 }) }),
      ]),
    ),
    stream: maybe(Type.Boolean()),
    stream_options: maybe(AnyObject),
    metadata: maybe(AnyObject),
    svc: maybe(ServiceExtensionSchema),
  },
  'ResponsesRequest',
);
