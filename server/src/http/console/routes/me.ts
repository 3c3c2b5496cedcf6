/** What belongs to the signed-in person and to no account, described: profile, accounts, sessions, invitations. */
import Type from 'typebox';
import { Deleted, inputObject, nullable, pageOf, responseObject, Time } from '../../openapi/building-blocks.ts';
import { describeRoute } from '../../routes/describe-route.ts';
import { MemberRoleSchema, Name, OwnAccount, PersonSchema, SessionSchema } from '../console-schemas.ts';

const tag = 'Me';
const path = '/api/console/me';
const access = { guard: 'person' } as const;
const AT_ONCE = { guard: 'person', beforePassword: true } as const;

const Me = responseObject(
  {
    object: Type.Literal('me'),
    person: PersonSchema,
    accounts: Type.Array(OwnAccount),
    account_id: nullable(Type.String({ description: 'The account that is used where a call names none.' })),
    staff: nullable(responseObject({ role: Type.String(), second_factor_missing: Type.Boolean() })),
    viewing: nullable(responseObject({ account_id: Type.String(), until: Time }, 'ViewingAs')),
    has_password: Type.Boolean(),
    password_change_required: Type.Boolean({
      description: 'The password is the one that we made: until another is set, nothing else opens.',
    }),
    second_factor: Type.Boolean(),
    passkeys: Type.Integer(),
  },
  'Me',
);

export const getMe = describeRoute({
  method: 'GET',
  path,
  operationId: 'getMe',
  tag,
  access: AT_ONCE,
  summary: { fa: 'من و حساب‌هایم', en: 'Who I am and which accounts are mine' },
  result: Me,
});

export const changeMe = describeRoute({
  method: 'PATCH',
  path,
  operationId: 'changeMe',
  tag,
  access,
  summary: { fa: 'تغییر نام و زبان', en: 'Change my name or language' },
  body: inputObject(
    {
      name: Type.Optional(Name),
      language: Type.Optional(Type.Enum(['fa', 'en'])),
      account_id: Type.Optional(Type.String({ maxLength: 64 })),
    },
    'MeChange',
  ),
  result: Me,
  errors: ['not_found'],
  example: { name: 'سارا' },
});

export const createOwnAccount = describeRoute({
  method: 'POST',
  path: '/api/console/accounts',
  operationId: 'createOwnAccount',
  tag,
  access,
  summary: { fa: 'ساختن حساب دیگر', en: 'Make another account of mine' },
  body: inputObject({ name: Name }, 'NewOwnAccount'),
  status: 201,
  result: OwnAccount,
  errors: ['conflict', 'registration_closed'],
  example: { name: 'شرکت' },
});

export const listSessions = describeRoute({
  method: 'GET',
  path: `${path}/sessions`,
  operationId: 'listSessions',
  tag,
  access,
  summary: { fa: 'نشست‌ها و دستگاه‌ها', en: 'My sessions' },
  result: pageOf(SessionSchema),
});

export const endSession = describeRoute({
  method: 'DELETE',
  path: `${path}/sessions/:id`,
  operationId: 'endSession',
  tag,
  access,
  summary: { fa: 'پایان دادن به یک نشست', en: 'End one session' },
  result: Deleted,
  errors: ['not_found'],
});

export const endOtherSessions = describeRoute({
  method: 'POST',
  path: `${path}/sessions/end-others`,
  operationId: 'endOtherSessions',
  tag,
  access,
  summary: { fa: 'خروج از همهٔ دستگاه‌های دیگر', en: 'End all sessions but this' },
  result: responseObject({ ended: Type.Integer() }, 'EndedSessions'),
});

const OwnInvitation = responseObject(
  {
    object: Type.Literal('invitation'),
    id: Type.String(),
    account_name: Type.String(),
    role: MemberRoleSchema,
    to: Type.String(),
    expires_at: Time,
  },
  'OwnInvitation',
);

export const listOwnInvitations = describeRoute({
  method: 'GET',
  path: `${path}/invitations`,
  operationId: 'listOwnInvitations',
  tag,
  access,
  summary: { fa: 'دعوت‌هایی که برای من آمده', en: 'Invitations to me' },
  result: pageOf(OwnInvitation),
});

export const acceptInvitation = describeRoute({
  method: 'POST',
  path: `${path}/invitations/accept`,
  operationId: 'acceptInvitation',
  tag,
  access,
  summary: { fa: 'پذیرفتن دعوت', en: 'Accept an invitation' },
  description: 'By its secret, or by its id where it was sent to one of my numbers or addresses.',
  body: inputObject(
    { invitation: Type.Optional(Type.String({ maxLength: 128 })), id: Type.Optional(Type.String({ maxLength: 64 })) },
    'InvitationAcceptance',
  ),
  result: OwnAccount,
  errors: ['not_found', 'conflict', 'rate_limited'],
});
