/** The bodies of POST /api/v1/messages and of its token count. Blocks of unknown type are carried to providers of the protocol. */
import Type from 'typebox';
import { AnyObject, maybe, open, ServiceExtensionSchema, words } from './parts.ts';

const MAX_ITEMS = 100_000;
const Tokens = (minimum: number) => Type.Integer({ minimum, maximum: 1_000_000_000 });

const Block = open(
  {
    type: Type.String({
      minLength: 1,
      maxLength: 512,
      description:
        '`text`, `image`, `document`, `search_result`, `thinking`, `redacted_thinking`, `tool_use`, `tool_result`; others are carried along.',
    }),
  },
  'MessageBlock',
);
const Content = Type.Union([Type.String(), Type.Array(Block, { maxItems: MAX_ITEMS })]);
const Tool = open(
  {
    type: maybe(Type.String({ description: '`custom`, or the name of a tool the provider runs itself.' })),
  },
  'MessageTool',
);

const shared = {
  model: maybe(Type.String({ description: '`<vendor>/<model>` or `group:<name>`.' })),
  messages: Type.Array(open({ role: words('user', 'assistant', 'system'), content: Content }, 'MessageTurn'), {
    minItems: 1,
    maxItems: MAX_ITEMS,
  }),
  system: maybe(Content),
  tools: maybe(Type.Array(Tool, { maxItems: MAX_ITEMS })),
  tool_choice: maybe(
    open({ type: words('auto', 'any', 'tool', 'none'), disable_parallel_tool_use: maybe(Type.Boolean()) }),
  ),
  temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: maybe(Tokens(0)),
  stop_sequences: maybe(Type.Array(Type.String(), { maxItems: MAX_ITEMS })),
  stream: maybe(Type.Boolean()),
  thinking: maybe(open({ type: words('enabled', 'adaptive', 'disabled') })),
  output_config: maybe(
    open({
      effort: maybe(words('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
      format: maybe(AnyObject),
    }),
  ),
  metadata: maybe(open({ user_id: maybe(Type.String()) })),
  svc: maybe(ServiceExtensionSchema),
};

export const MessagesRequest = open(
  { ...shared, max_tokens: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }) },
  'MessagesRequest',
);
export const CountTokensRequest = open(shared, 'CountTokensRequest');
