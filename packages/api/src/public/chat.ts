/** Chat in three protocols, described. */
import Type from 'typebox';
import {
  ChatCompletion,
  CompactedAnswer,
  InputTokenCount,
  ItemList,
  MessageAnswer,
  ResponseAnswer,
  TextCompletion,
  TokenCountAnswer,
} from '../answers.ts';
import { ChatCompletionRequest } from '../bodies/chat-completions.ts';
import { CompletionRequest } from '../bodies/completions.ts';
import { CountTokensRequest, MessagesRequest } from '../bodies/messages.ts';
import { CompactRequest, ResponsesRequest } from '../bodies/responses.ts';
import { AnyJson, Deleted } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { PAID, RULES } from './usual-errors.ts';

/** This includes what only some accounts may ask for (`svc.debug`). */
const CHAT: typeof PAID = [...PAID, 'forbidden'];

const hello = [{ role: 'user', content: 'سلام' }];

export const createChatCompletion = describeRoute({
  method: 'POST',
  path: '/api/v1/chat/completions',
  access: { guard: 'key', endpoint: 'chat.completions' },
  operationId: 'createChatCompletion',
  tag: 'Chat',
  summary: { fa: 'گفت‌وگو با پروتکل OpenAI', en: 'Chat in the protocol of the OpenAI SDK' },
  body: ChatCompletionRequest,
  result: ChatCompletion,
  streams: true,
  errors: CHAT,
  example: { model: 'sandbox/echo', messages: hello },
});

export const createCompletion = describeRoute({
  method: 'POST',
  path: '/api/v1/completions',
  access: { guard: 'key', endpoint: 'completions' },
  operationId: 'createCompletion',
  tag: 'Chat',
  summary: {
    fa: 'ادامهٔ یک متن با پروتکل قدیمی OpenAI',
    en: 'Continue a text, in the old protocol of the OpenAI SDK',
  },
  body: CompletionRequest,
  result: TextCompletion,
  streams: true,
  errors: CHAT,
  example: { model: 'sandbox/echo', prompt: 'سلام' },
});

export const createMessage = describeRoute({
  method: 'POST',
  path: '/api/v1/messages',
  access: { guard: 'key', endpoint: 'messages' },
  operationId: 'createMessage',
  tag: 'Chat',
  summary: { fa: 'گفت‌وگو با پروتکل Anthropic', en: 'Chat in the protocol of the Anthropic SDK' },
  body: MessagesRequest,
  result: MessageAnswer,
  streams: true,
  errors: CHAT,
  example: { model: 'sandbox/echo', max_tokens: 256, messages: hello },
});

export const countTokens = describeRoute({
  method: 'POST',
  path: '/api/v1/messages/count_tokens',
  access: { guard: 'key', endpoint: 'messages.count_tokens' },
  operationId: 'countTokens',
  tag: 'Chat',
  summary: { fa: 'شمردن توکن‌های ورودی؛ رایگان', en: 'Count input tokens; free' },
  body: CountTokensRequest,
  result: TokenCountAnswer,
  errors: [...RULES, 'model_not_allowed', 'price_above_limit', 'not_for_sale', 'model_not_found'],
  example: { model: 'sandbox/echo', messages: hello },
});

export const countResponseInput = describeRoute({
  method: 'POST',
  path: '/api/v1/responses/input_tokens',
  access: { guard: 'key', endpoint: 'responses' },
  operationId: 'countResponseInput',
  tag: 'Chat',
  summary: {
    fa: 'شمردن توکن‌های ورودی در پروتکل Responses؛ رایگان',
    en: 'Count input tokens in the Responses protocol; free',
  },
  body: ResponsesRequest,
  result: InputTokenCount,
  errors: [...RULES, 'model_not_allowed', 'price_above_limit', 'not_for_sale', 'model_not_found'],
  example: { model: 'sandbox/echo', input: 'سلام' },
});

export const compactResponse = describeRoute({
  method: 'POST',
  path: '/api/v1/responses/compact',
  access: { guard: 'key', endpoint: 'responses' },
  operationId: 'compactResponse',
  tag: 'Chat',
  summary: {
    fa: 'کوتاه‌کردن یک گفت‌وگوی بلند؛ قیمت آن مثل هر پاسخ است',
    en: 'Make a long conversation short; priced as any answer',
  },
  description:
    'The answer holds the messages of the user and one `compaction` item; send its `output` in front of the next `input`, to any model.',
  body: CompactRequest,
  result: CompactedAnswer,
  errors: CHAT,
  example: {
    model: 'sandbox/echo',
    input: [...hello, { role: 'assistant', content: 'سلام! چه کمکی از من برمی‌آید؟' }],
  },
});

export const createResponse = describeRoute({
  method: 'POST',
  path: '/api/v1/responses',
  access: { guard: 'key', endpoint: 'responses' },
  operationId: 'createResponse',
  tag: 'Chat',
  summary: { fa: 'گفت‌وگو با پروتکل Responses', en: 'Chat in the Responses protocol (Codex speaks nothing else)' },
  body: ResponsesRequest,
  result: ResponseAnswer,
  streams: true,
  errors: CHAT,
  example: { model: 'sandbox/echo', input: 'سلام' },
});

export const getResponse = describeRoute({
  method: 'GET',
  path: '/api/v1/responses/:id',
  access: { guard: 'key', endpoint: 'responses' },
  operationId: 'getResponse',
  tag: 'Chat',
  summary: { fa: 'پاسخ ذخیره‌شده', en: 'A stored answer' },
  query: Type.Object({
    stream: Type.Optional(
      Type.Boolean({
        description: 'True: its events, where they are kept; of an answer in the background with `stream`.',
      }),
    ),
    starting_after: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'With `stream`: the `sequence_number` of the last event the caller has.',
      }),
    ),
  }),
  result: ResponseAnswer,
  streams: 'on demand',
  errors: [...RULES, 'not_found', 'stream_gone'],
});

export const cancelResponse = describeRoute({
  method: 'POST',
  path: '/api/v1/responses/:id/cancel',
  access: { guard: 'key', endpoint: 'responses' },
  operationId: 'cancelResponse',
  tag: 'Chat',
  summary: { fa: 'لغو پاسخ پس‌زمینه', en: 'Stop an answer that is made in the background' },
  result: ResponseAnswer,
  errors: [...RULES, 'invalid_request', 'not_found'],
});

export const listResponseInput = describeRoute({
  method: 'GET',
  path: '/api/v1/responses/:id/input_items',
  access: { guard: 'key', endpoint: 'responses' },
  operationId: 'listResponseInput',
  tag: 'Chat',
  summary: { fa: 'ورودی پاسخ ذخیره‌شده', en: 'What a stored answer was given' },
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    order: Type.Optional(Type.Enum(['asc', 'desc'])),
    after: Type.Optional(Type.String()),
  }),
  result: ItemList,
  errors: [...RULES, 'not_found'],
});

export const deleteResponse = describeRoute({
  method: 'DELETE',
  path: '/api/v1/responses/:id',
  access: { guard: 'key', endpoint: 'responses' },
  operationId: 'deleteResponse',
  tag: 'Chat',
  summary: { fa: 'پاک‌کردن پاسخ ذخیره‌شده', en: 'Forget a stored answer' },
  result: Deleted,
  errors: [...RULES, 'not_found'],
});

/** Served, but left out of the document, because OpenAPI cannot describe WebSockets. */
export const openResponsesSocket = describeRoute({
  method: 'GET',
  path: '/api/v1/responses',
  access: { guard: 'key', endpoint: 'responses' },
  operationId: 'openResponsesSocket',
  tag: 'Chat',
  summary: { fa: 'اتصال «WebSocket»', en: 'A WebSocket' },
  result: AnyJson,
  unlisted: true,
});
