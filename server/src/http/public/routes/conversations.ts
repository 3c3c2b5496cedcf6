/** Conversations of the Responses protocol, described. */
import Type from 'typebox';
import { ConversationAnswer, ConversationDeleted, ItemList } from '../../openapi/answers.ts';
import { AnyObject } from '../../openapi/bodies/parts.ts';
import { AnyJson } from '../../openapi/building-blocks.ts';
import { describeRoute } from '../../routes/describe-route.ts';
import { RULES } from './usual-errors.ts';

const access = { guard: 'key', endpoint: 'responses' } as const;
const tag = 'Chat';
const Metadata = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), { maxProperties: 16 });
const Items = Type.Array(AnyObject, { maxItems: 20 });
const errors = [...RULES, 'invalid_request', 'not_found'] as const;

export const createConversation = describeRoute({
  method: 'POST',
  path: '/api/v1/conversations',
  access,
  operationId: 'createConversation',
  tag,
  summary: { fa: 'گفت‌وگویی که می‌ماند', en: 'Begin a conversation that is kept' },
  body: Type.Object({
    items: Type.Optional(Type.Union([Items, Type.Null()])),
    metadata: Type.Optional(Type.Union([Metadata, Type.Null()])),
  }),
  result: ConversationAnswer,
  errors: [...RULES, 'invalid_request'],
  example: { items: [{ role: 'user', content: 'سلام' }] },
});

export const getConversation = describeRoute({
  method: 'GET',
  path: '/api/v1/conversations/:id',
  access,
  operationId: 'getConversation',
  tag,
  summary: { fa: 'یک گفت‌وگو', en: 'A conversation' },
  result: ConversationAnswer,
  errors,
});

export const updateConversation = describeRoute({
  method: 'POST',
  path: '/api/v1/conversations/:id',
  access,
  operationId: 'updateConversation',
  tag,
  summary: { fa: 'تغییر برچسب‌های گفت‌وگو', en: 'Change the metadata of a conversation' },
  body: Type.Object({ metadata: Type.Union([Metadata, Type.Null()]) }),
  result: ConversationAnswer,
  errors,
  example: { metadata: { topic: 'demo' } },
});

export const deleteConversation = describeRoute({
  method: 'DELETE',
  path: '/api/v1/conversations/:id',
  access,
  operationId: 'deleteConversation',
  tag,
  summary: { fa: 'پاک‌کردن گفت‌وگو', en: 'Forget a conversation' },
  result: ConversationDeleted,
  errors,
});

export const listConversationItems = describeRoute({
  method: 'GET',
  path: '/api/v1/conversations/:id/items',
  access,
  operationId: 'listConversationItems',
  tag,
  summary: { fa: 'موردهای گفت‌وگو', en: 'The items of a conversation' },
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    order: Type.Optional(Type.Enum(['asc', 'desc'])),
    after: Type.Optional(Type.String()),
  }),
  result: ItemList,
  errors,
});

export const addConversationItems = describeRoute({
  method: 'POST',
  path: '/api/v1/conversations/:id/items',
  access,
  operationId: 'addConversationItems',
  tag,
  summary: { fa: 'افزودن به گفت‌وگو', en: 'Add to a conversation' },
  body: Type.Object({ items: Items }),
  result: ItemList,
  errors,
  example: { items: [{ role: 'user', content: 'سلام' }] },
});

export const getConversationItem = describeRoute({
  method: 'GET',
  path: '/api/v1/conversations/:id/items/:item',
  access,
  operationId: 'getConversationItem',
  tag,
  summary: { fa: 'یک مورد گفت‌وگو', en: 'An item of a conversation' },
  result: AnyJson,
  errors,
});

export const deleteConversationItem = describeRoute({
  method: 'DELETE',
  path: '/api/v1/conversations/:id/items/:item',
  access,
  operationId: 'deleteConversationItem',
  tag,
  summary: { fa: 'پاک‌کردن یک مورد گفت‌وگو', en: 'Forget an item of a conversation' },
  result: ConversationAnswer,
  errors,
});
