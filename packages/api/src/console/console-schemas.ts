/** Schemas that several console routes share. */

import { PROMPT_LOGGING_FIELDS } from '@dargah/core/fields/index.ts';
import { GRANTED_ROLES, MEMBER_ROLES } from '@dargah/core/roles.ts';
import Type from 'typebox';
import { inputObject, nullable, responseObject, Time, Toman } from '../building-blocks.ts';
import { alwaysShown, inputFields } from '../field-schema.ts';

export const Name = Type.String({ minLength: 1, maxLength: 200 });
export const MemberRoleSchema = Type.Enum([...MEMBER_ROLES], { title: 'MemberRole' });
export const GrantedRoleSchema = Type.Enum([...GRANTED_ROLES], { title: 'GrantedRole' });

/** A mobile number or an e-mail address, as a person types it. */
export const ContactSchema = Type.String({
  minLength: 3,
  maxLength: 254,
  description: 'A mobile number (`0912…`, `+98912…`, Persian digits too) or an e-mail address.',
});
export const Code = Type.String({
  minLength: 6,
  maxLength: 16,
  description: 'Six digits, or as many as the message had; Persian digits are read too.',
});
export const Password = Type.String({ minLength: 10, maxLength: 256 });

export const PersonSchema = responseObject(
  {
    object: Type.Literal('person'),
    id: Type.String(),
    name: Type.String(),
    language: Type.Enum(['fa', 'en']),
    created_at: Time,
  },
  'Person',
);

export const OwnAccount = responseObject(
  {
    id: Type.String(),
    name: Type.String(),
    role: MemberRoleSchema,
    closed: Type.Boolean(),
    blocked: nullable(responseObject({ reason: Type.String(), until: nullable(Time) }, 'OwnAccountBlock')),
  },
  'OwnAccount',
);

export const SessionSchema = responseObject(
  {
    object: Type.Literal('session'),
    id: Type.String(),
    current: Type.Boolean(),
    address: nullable(Type.String()),
    agent: nullable(Type.String({ description: 'What the browser says of itself.' })),
    method: Type.String({ description: 'How it was begun: `mobile`, `email`, `password` or `passkey`.' }),
    created_at: Time,
    seen_at: Time,
    expires_at: Time,
  },
  'Session',
);

export const PromptLoggingSchema = inputObject(
  {
    enabled: alwaysShown(PROMPT_LOGGING_FIELDS).enabled,
    days: inputFields(PROMPT_LOGGING_FIELDS).days,
  },
  'PromptLogging',
);

export const PeriodSchema = {
  from: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'RFC 3339, or a day of either calendar in the zone of the account; included.',
    }),
  ),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'As `from`; not included.' })),
};

export const Done = responseObject({ done: Type.Boolean() }, 'Done');
export const Sum = responseObject(
  {
    requests: Type.Integer(),
    errors: Type.Integer(),
    input_tokens: Type.Integer(),
    cached_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    cache_asked: Type.Integer({ description: 'Requests that asked the response cache.' }),
    cache_hits: Type.Integer({ description: 'Those of them that it answered.' }),
    cost: Toman,
    cache_saved: Type.String({
      description:
        'Toman that the response cache and prompt caches of providers saved; below zero while more was written into the latter than read.',
    }),
    p50_ms: nullable(Type.Number()),
    p95_ms: nullable(Type.Number()),
  },
  'UsageSum',
);
