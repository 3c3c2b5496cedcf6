/** The error body of all endpoints, and its form on the messages endpoints. */

import { ERRORS } from '@dargah/core/error-registry.ts';
import Type from 'typebox';
import { nullable, responseObject } from './building-blocks.ts';

const Code = Type.Enum(Object.keys(ERRORS), { title: 'ErrorCode' });
const Message = Type.String({ description: 'Persian, or English when `Accept-Language` prefers it.' });
const Remedy = Type.String({ description: 'The page where a person mends it.' });

export const ErrorBody = Type.Object(
  {
    error: responseObject({
      message: Message,
      type: Type.String(),
      code: Code,
      param: nullable(Type.String({ description: 'The field at fault: `messages.0.content`.' })),
      retry_after_ms: Type.Optional(Type.Integer()),
      remedy_url: Type.Optional(Remedy),
      missing_toman: Type.Optional(Type.String()),
      affordable_tokens: Type.Optional(Type.Integer()),
      cap: Type.Optional(Type.Unknown()),
      resets_at: Type.Optional(Type.Unknown()),
    }),
  },
  { title: 'Error' },
);

export const GeminiErrorBody = Type.Object(
  {
    error: responseObject({
      code: Type.Integer({ description: 'The HTTP status.' }),
      message: Message,
      status: Type.String(),
      details: Type.Array(Type.Unknown()),
    }),
  },
  { title: 'GeminiError' },
);

export const MessagesErrorBody = Type.Object(
  {
    type: Type.Literal('error'),
    error: responseObject({
      type: Type.String(),
      message: Message,
      code: Code,
      details: Type.Optional(responseObject({ error_code: Type.String(), remedy_url: Type.Optional(Remedy) })),
    }),
    request_id: Type.String(),
  },
  { title: 'MessagesError' },
);
