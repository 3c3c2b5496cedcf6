/** Answers of the public endpoints, as far as we promise them; more fields of the SDKs' own types may stand beside these. */

import { GUARANTEE_STATES, REPAIRS } from '@dargah/core/guarantee-states.ts';
import Type from 'typebox';
import { nullable, responseObject } from './building-blocks.ts';

export const Cost = Type.Number({ description: 'Toman. The exact text is in the header `x-svc-cost`.' });
const Reference = responseObject(
  {
    index: Type.Integer(),
    knowledge_base_id: Type.String(),
    document_id: Type.String(),
    title: Type.String(),
    place: Type.Integer({ description: 'Of the passage in its document, from 1.' }),
    page: Type.Optional(Type.Integer({ description: 'Of a PDF, or the slide of a presentation.' })),
    heading: Type.Optional(Type.String({ description: 'The headings above the passage, outermost first.' })),
    url: Type.Optional(Type.String({ description: 'Where the document was fetched from, when it was.' })),
    excerpt: Type.String(),
    score: Type.Number(),
  },
  'Reference',
);
const Guarantee = responseObject(
  {
    state: Type.Enum([...GUARANTEE_STATES], {
      title: 'GuaranteeState',
      description:
        'kept: it is right. asked_again: the first answer was wrong, and this one is right. broken: it is wrong, and free. unmet: it is wrong in what is not covered. not_covered: it was not judged.',
    }),
    fault: Type.Optional(Type.Enum(['not_json', 'schema'])),
    at: Type.Optional(Type.String({ description: 'Where in the answer, as in `$.items[2].name`.' })),
    reason: Type.Optional(
      Type.Enum(['length', 'content_filter', 'refusal', 'schema', 'size', 'time', 'busy'], {
        description: 'Why it was not judged.',
      }),
    ),
    credit: Type.Optional(
      Type.Literal('due', {
        description:
          'What it cost comes back to the wallet, unless the free answers of the day are used up; the receipt says which.',
      }),
    ),
  },
  'Guarantee',
);
const Svc = responseObject(
  {
    references: Type.Optional(Type.Array(Reference)),
    notes: Type.Optional(Type.Array(Type.String())),
    repair: Type.Optional(Type.Array(Type.Enum([...REPAIRS]), { description: 'What was mended of the answer.' })),
    guarantee: Type.Optional(Guarantee),
  },
  'ServiceNotes',
);

export const ChatCompletion = responseObject(
  {
    id: Type.String(),
    object: Type.Literal('chat.completion'),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(
      responseObject({
        index: Type.Integer(),
        finish_reason: nullable(Type.String()),
        message: responseObject({ role: Type.Literal('assistant'), content: nullable(Type.String()) }),
      }),
    ),
    usage: Type.Optional(
      responseObject({
        prompt_tokens: Type.Integer(),
        completion_tokens: Type.Integer(),
        total_tokens: Type.Integer(),
        cost: Type.Optional(Cost),
      }),
    ),
    svc: Type.Optional(Svc),
  },
  'ChatCompletion',
);

export const TextCompletion = responseObject(
  {
    id: Type.String(),
    object: Type.Literal('text_completion'),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(
      responseObject({ index: Type.Integer(), text: Type.String(), finish_reason: nullable(Type.String()) }),
    ),
    svc: Type.Optional(Svc),
  },
  'TextCompletion',
);

export const MessageAnswer = responseObject(
  {
    id: Type.String(),
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    model: Type.String(),
    content: Type.Array(responseObject({ type: Type.String() })),
    stop_reason: nullable(Type.String()),
    usage: responseObject({ input_tokens: Type.Integer(), output_tokens: Type.Integer(), cost: Type.Optional(Cost) }),
    svc: Type.Optional(Svc),
  },
  'Message',
);

export const TokenCountAnswer = responseObject({ input_tokens: Type.Integer() }, 'TokenCount');

export const InputTokenCount = responseObject(
  { object: Type.Literal('response.input_tokens'), input_tokens: Type.Integer() },
  'InputTokenCount',
);

export const EmbeddingList = responseObject(
  {
    object: Type.Literal('list'),
    model: Type.String(),
    data: Type.Array(
      responseObject({
        object: Type.Literal('embedding'),
        index: Type.Integer(),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String({ description: 'base64 of 32-bit floats' })]),
      }),
    ),
    usage: responseObject({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer(), cost: Cost }),
  },
  'EmbeddingList',
);

export const FileBytes = Type.String({ contentMediaType: 'application/octet-stream', title: 'Bytes' });
export const Transcript = responseObject({ text: Type.String() }, 'Transcript');

export const ResponseAnswer = responseObject(
  {
    id: Type.String(),
    object: Type.Literal('response'),
    status: Type.String(),
    model: Type.String(),
    output: Type.Array(responseObject({ type: Type.String() })),
  },
  'Response',
);
export const CompactedAnswer = responseObject(
  {
    id: Type.String(),
    object: Type.Literal('response.compaction'),
    created_at: Type.Integer(),
    output: Type.Array(responseObject({ type: Type.String() })),
  },
  'CompactedResponse',
);
export const ConversationAnswer = responseObject(
  {
    id: Type.String(),
    object: Type.Literal('conversation'),
    created_at: Type.Integer(),
    metadata: Type.Record(Type.String(), Type.String()),
  },
  'Conversation',
);
export const ConversationDeleted = responseObject({
  id: Type.String(),
  object: Type.Literal('conversation.deleted'),
  deleted: Type.Boolean(),
});
export const ItemList = responseObject({
  object: Type.Literal('list'),
  data: Type.Array(responseObject({ type: Type.String() })),
  has_more: Type.Boolean(),
});
