/** Signing in and signing up, described. Answers do not tell whether a number or an address is known. */
import Type from 'typebox';
import { AnyJson, inputObject, nullable, responseObject } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import {
  Code,
  ContactSchema,
  Done,
  MemberRoleSchema,
  Name,
  OwnAccount,
  Password,
  PersonSchema,
} from './console-schemas.ts';

const tag = 'Signing in';
const path = '/api/console/sign-in';
const access = { guard: 'open' } as const;

const Invitation = Type.Optional(Type.String({ maxLength: 128, description: 'The secret of an invitation.' }));

/** The answer sets a session cookie, or holds a ticket for the second step where a second factor is set up. */
export const SignedIn = responseObject(
  {
    object: Type.Literal('signed_in'),
    person: nullable(PersonSchema),
    accounts: Type.Array(OwnAccount),
    staff: nullable(Type.String({ description: 'The role among staff.' })),
    second_factor: nullable(
      responseObject({ ticket: Type.String(), expires_in_s: Type.Integer() }, 'SecondFactorTicket'),
    ),
    new_account: Type.Boolean({ description: 'True when this made the person and the account.' }),
  },
  'SignedIn',
);

export const getSignInOptions = describeRoute({
  method: 'GET',
  path,
  operationId: 'getSignInOptions',
  tag,
  access,
  summary: { fa: 'روش‌های ورود', en: 'How one can sign in here' },
  result: responseObject(
    {
      registration: Type.Enum(['open', 'invitation', 'closed']),
      mobile: Type.Boolean(),
      email: Type.Boolean(),
      passkey: Type.Boolean(),
      sandbox: Type.Boolean({ description: 'Messages stay in the outbox of the operator.' }),
    },
    'SignInOptions',
  ),
});

export const sendSignInCode = describeRoute({
  method: 'POST',
  path: `${path}/codes`,
  operationId: 'sendSignInCode',
  tag,
  access,
  summary: { fa: 'ارسال کد یک‌بارمصرف', en: 'Send a one-time code' },
  description: 'The answer is the same whether the number is known or not.',
  body: inputObject({ to: ContactSchema, invitation: Invitation }, 'CodeOrder'),
  status: 202,
  result: responseObject(
    {
      to: Type.String({ description: 'As it was understood.' }),
      channel: Type.Enum(['sms', 'email']),
      sent: Type.Boolean({
        description:
          'False: a message went out a short while ago, whoever asked for it, and its code is still good. From networks that the ' +
          'person has not signed in from, one message in ten minutes goes out.',
      }),
      digits: Type.Integer({ description: 'Six; twelve while strangers try many codes.' }),
      expires_in_s: Type.Integer(),
      resend_after_s: Type.Integer(),
    },
    'CodeSent',
  ),
  errors: ['rate_limited'],
  example: { to: '09121234567' },
});

export const signInWithCode = describeRoute({
  method: 'POST',
  path: `${path}/code`,
  operationId: 'signInWithCode',
  tag,
  access,
  summary: { fa: 'ورود یا ثبت‌نام با کد', en: 'Sign in, or sign up, with a code' },
  body: inputObject(
    {
      to: ContactSchema,
      code: Code,
      name: Type.Optional(Name),
      account_name: Type.Optional(Name),
      language: Type.Optional(Type.Enum(['fa', 'en'])),
      invitation: Invitation,
    },
    'CodeSignIn',
  ),
  result: SignedIn,
  errors: ['wrong_code', 'rate_limited', 'registration_closed'],
  example: { to: '09121234567', code: '123456' },
});

export const signInWithPassword = describeRoute({
  method: 'POST',
  path: `${path}/password`,
  operationId: 'signInWithPassword',
  tag,
  access,
  summary: { fa: 'ورود با رمز عبور', en: 'Sign in with a password' },
  body: inputObject({ to: ContactSchema, password: Type.String({ minLength: 1, maxLength: 256 }) }, 'PasswordSignIn'),
  result: SignedIn,
  errors: ['wrong_credentials', 'rate_limited'],
});

export const beginPasskeySignIn = describeRoute({
  method: 'POST',
  path: `${path}/passkey/options`,
  operationId: 'beginPasskeySignIn',
  tag,
  access,
  summary: { fa: 'شروع ورود با کلید عبور', en: 'Begin to sign in with a passkey' },
  result: responseObject({ ticket: Type.String(), options: AnyJson }, 'PasskeyChallenge'),
  errors: ['rate_limited'],
});

export const signInWithPasskey = describeRoute({
  method: 'POST',
  path: `${path}/passkey`,
  operationId: 'signInWithPasskey',
  tag,
  access,
  summary: { fa: 'ورود با کلید عبور', en: 'Sign in with a passkey' },
  body: inputObject({ ticket: Type.String({ maxLength: 128 }), response: AnyJson }, 'PasskeySignIn'),
  result: SignedIn,
  errors: ['wrong_credentials', 'rate_limited'],
});

export const giveSecondFactor = describeRoute({
  method: 'POST',
  path: `${path}/second-factor`,
  operationId: 'giveSecondFactor',
  tag,
  access,
  summary: { fa: 'ورود دومرحله‌ای', en: 'Finish signing in with the second factor' },
  description: 'The code of the authenticator app, or one of the recovery codes.',
  body: inputObject({ ticket: Type.String({ maxLength: 128 }), code: Code }, 'SecondFactor'),
  result: SignedIn,
  errors: ['wrong_code', 'rate_limited'],
});

export const readInvitation = describeRoute({
  method: 'POST',
  path: `${path}/invitation`,
  operationId: 'readInvitation',
  tag,
  access,
  summary: { fa: 'دیدن دعوت', en: 'What an invitation is to' },
  body: inputObject({ invitation: Type.String({ maxLength: 128 }) }, 'InvitationSecret'),
  result: responseObject(
    { account_name: Type.String(), role: MemberRoleSchema, to: Type.String() },
    'InvitationPreview',
  ),
  errors: ['not_found', 'rate_limited'],
});

export const resetPassword = describeRoute({
  method: 'POST',
  path: `${path}/password/reset`,
  operationId: 'resetPassword',
  tag,
  access,
  summary: { fa: 'رمز عبور جدید با کد', en: 'Set a new password with a code; ends all sessions' },
  body: inputObject({ to: ContactSchema, code: Code, password: Password }, 'PasswordReset'),
  result: Done,
  errors: ['wrong_code', 'rate_limited'],
});

export const signOut = describeRoute({
  method: 'POST',
  path: '/api/console/sign-out',
  operationId: 'signOut',
  tag,
  access: { guard: 'person', beforePassword: true },
  summary: { fa: 'خروج', en: 'Sign out' },
  result: Done,
});
