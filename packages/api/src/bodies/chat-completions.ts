/** The body of POST /api/v1/chat/completions. */
import Type from 'typebox';
import { AnyObject, ModelName, maybe, open, ServiceExtensionSchema, TokenCountSchema, words } from './parts.ts';

const Name = Type.String({ minLength: 1, maxLength: 256 });
const Text = open({ type: Type.Literal('text'), text: Type.String() }, 'TextPart');
const Image = open(
  {
    type: Type.Literal('image_url'),
    image_url: Type.Union([
      Type.String({ description: 'The address alone, as some clients write it.' }),
      open({
        url: Type.String({ description: 'An https address or a base64 data URL.' }),
        detail: maybe(words('auto', 'low', 'high', 'original')),
      }),
    ]),
  },
  'ImagePart',
);
const Audio = open(
  {
    type: Type.Literal('input_audio'),
    input_audio: open({ data: Type.String(), format: Type.String({ minLength: 1, maxLength: 32 }) }),
  },
  'AudioPart',
);
const File = open(
  {
    type: Type.Literal('file'),
    file: open({ filename: maybe(Name), file_id: maybe(Name), file_data: maybe(Type.String()) }),
  },
  'FilePart',
);
const Refusal = open({ type: Type.Literal('refusal'), refusal: Type.String() });
const Thinking = open({ type: Type.Literal('thinking'), thinking: Type.Optional(Type.Unknown()) });

/** Content may be text or a list of parts. */
const said = <T extends Parameters<typeof Type.Union>[0]>(parts: T) =>
  Type.Union([Type.String(), Type.Array(Type.Union(parts), { minItems: 1, maxItems: 2_000 })]);

const FunctionCall = open({ name: Name, arguments: maybe(Type.String()) });
const ToolId = Type.String({ minLength: 1, maxLength: 16_384 });
const ToolCall = Type.Union([
  open({ id: ToolId, type: maybe(Type.Literal('function')), function: FunctionCall }),
  open({ id: ToolId, type: Type.Literal('custom'), custom: open({ name: Name, input: Type.String() }) }),
]);

const Message = Type.Union(
  [
    open({ role: Type.Literal('user'), content: said([Text, Image, Audio, File]), name: maybe(Name) }, 'UserMessage'),
    open(
      {
        role: Type.Literal('assistant'),
        content: Type.Optional(
          Type.Union([
            Type.String(),
            Type.Null(),
            Type.Array(Type.Union([Text, Refusal, Thinking]), { maxItems: 2_000 }),
          ]),
        ),
        name: maybe(Name),
        refusal: maybe(Type.String()),
        audio: maybe(open({ id: Name })),
        tool_calls: maybe(Type.Array(ToolCall, { maxItems: 1_024 })),
        function_call: maybe(FunctionCall),
      },
      'AssistantMessage',
    ),
    open({ role: Type.Literal('system'), content: said([Text]), name: maybe(Name) }, 'SystemMessage'),
    open({ role: Type.Literal('developer'), content: said([Text]), name: maybe(Name) }, 'DeveloperMessage'),
    open(
      { role: Type.Literal('tool'), tool_call_id: ToolId, content: said([Text, Image, File]), name: maybe(Name) },
      'ToolMessage',
    ),
    open({ role: Type.Literal('function'), name: Name, content: said([Text, Image, File]) }, 'FunctionMessage'),
  ],
  { title: 'ChatMessage' },
);

const FunctionTool = open({
  name: Name,
  description: maybe(Type.String()),
  parameters: maybe(AnyObject),
  strict: maybe(Type.Boolean()),
});
const Tool = Type.Union(
  [
    open({ type: maybe(Type.Literal('function')), function: FunctionTool }),
    open({ type: Type.Literal('custom'), custom: open({ name: Name, description: maybe(Type.String()) }) }),
    open({
      type: Type.String({
        pattern: '^(?!function$|custom$)',
        maxLength: 64,
        description: 'A tool that the provider runs itself; only where the operator lets all fields pass.',
      }),
    }),
  ],
  { title: 'ChatTool' },
);
const ToolChoice = Type.Union(
  [words('auto', 'none', 'required'), open({ type: words('function', 'custom', 'allowed_tools') })],
  { title: 'ChatToolChoice' },
);
const ResponseFormat = Type.Union(
  [
    open({ type: words('text', 'json_object') }),
    open({
      type: Type.Literal('json_schema'),
      json_schema: open({
        name: maybe(Type.String({ minLength: 1, maxLength: 64 })),
        schema: AnyObject,
        description: maybe(Type.String()),
        strict: maybe(Type.Boolean()),
      }),
    }),
  ],
  { title: 'ResponseFormat' },
);
const Effort = words('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');
const Penalty = Type.Number({ minimum: -2, maximum: 2 });

export const ChatCompletionRequest = open(
  {
    model: maybe(ModelName),
    messages: Type.Array(Message, { minItems: 1, maxItems: 10_000 }),
    max_tokens: maybe(TokenCountSchema),
    max_completion_tokens: maybe(TokenCountSchema),
    temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    top_k: maybe(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    stop: maybe(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 16 })])),
    stream: maybe(Type.Boolean()),
    stream_options: maybe(open({ include_usage: maybe(Type.Boolean()) })),
    tools: maybe(Type.Array(Tool, { maxItems: 1_024 })),
    tool_choice: maybe(ToolChoice),
    parallel_tool_calls: maybe(Type.Boolean()),
    response_format: maybe(ResponseFormat),
    seed: maybe(Type.Integer()),
    user: maybe(Type.String({ maxLength: 1_024 })),
    n: maybe(Type.Integer({ minimum: 1, maximum: 128 })),
    logprobs: maybe(Type.Boolean()),
    top_logprobs: maybe(Type.Integer({ minimum: 0, maximum: 20 })),
    logit_bias: maybe(Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 }))),
    presence_penalty: maybe(Penalty),
    frequency_penalty: maybe(Penalty),
    reasoning_effort: maybe(Effort),
    reasoning: maybe(
      open({
        effort: maybe(Effort),
        max_tokens: maybe(TokenCountSchema),
        enabled: maybe(Type.Boolean()),
        summary: maybe(Type.String({ minLength: 1, maxLength: 32 })),
      }),
    ),
    svc: maybe(ServiceExtensionSchema),
  },
  'ChatCompletionRequest',
);
