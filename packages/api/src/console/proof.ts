/** Proving one's identity again, described; and ending all sessions by the link of a message. */
import Type from 'typebox';
import { AnyJson, inputObject, nullable, responseObject, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { Code, Done } from './console-schemas.ts';

const tag = 'Me';
const path = '/api/console/me/proof';
/** Also open to a person who must first replace the password that we made: replacing it asks for a proof too. */
const access = { guard: 'person', beforePassword: true } as const;
const Way = Type.Enum(['passkey', 'second-factor', 'password', 'code'], { title: 'ProofWay' });

export const getProof = describeRoute({
  method: 'GET',
  path,
  operationId: 'getProof',
  tag,
  access,
  summary: { fa: 'چگونه می‌توانم نشان دهم که خودم هستم', en: 'How I can prove who I am' },
  description:
    'Calls that change how one signs in, or make a management key, answer `proof_required` when the last proof is older than five minutes. Signing in is a proof. Whoever has a second factor proves with it, or with a passkey.',
  result: responseObject(
    {
      object: Type.Literal('proof'),
      proved_until: nullable(Time),
      ways: Type.Array(Way),
      contacts: Type.Array(
        responseObject(
          { id: Type.String(), kind: Type.Enum(['mobile', 'email']), value: Type.String({ description: 'Masked.' }) },
          'ProofContact',
        ),
      ),
    },
    'Proof',
  ),
});

export const sendProofCode = describeRoute({
  method: 'POST',
  path: `${path}/codes`,
  operationId: 'sendProofCode',
  tag,
  access,
  summary: { fa: 'ارسال کد به شماره یا ایمیل خودم', en: 'Send a code to a number or address of mine' },
  body: inputObject({ contact_id: Type.String({ maxLength: 64 }) }, 'ProofCodeOrder'),
  status: 202,
  result: Done,
  errors: ['not_found', 'rate_limited'],
});

export const beginPasskeyProof = describeRoute({
  method: 'POST',
  path: `${path}/passkey`,
  operationId: 'beginPasskeyProof',
  tag,
  access,
  summary: { fa: 'شروع تأیید هویت با کلید عبور', en: 'Begin to prove who I am with a passkey' },
  result: responseObject({ ticket: Type.String(), options: AnyJson }, 'PasskeyChallenge'),
  errors: ['rate_limited'],
});

export const giveProof = describeRoute({
  method: 'POST',
  path,
  operationId: 'giveProof',
  tag,
  access,
  summary: { fa: 'نشان دادن این‌که خودم هستم', en: 'Prove who I am, for five minutes' },
  body: inputObject(
    {
      way: Way,
      password: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'For `password`.' })),
      code: Type.Optional(Code),
      contact_id: Type.Optional(Type.String({ maxLength: 64, description: 'For `code`: where it was sent.' })),
      ticket: Type.Optional(Type.String({ maxLength: 128, description: 'For `passkey`.' })),
      response: Type.Optional(AnyJson),
    },
    'ProofGiven',
  ),
  result: responseObject({ object: Type.Literal('proof'), proved_until: Time }, 'GivenProof'),
  errors: ['wrong_credentials', 'wrong_code', 'rate_limited'],
});

export const endSessionsByLink = describeRoute({
  method: 'POST',
  path: '/api/console/end-sessions',
  operationId: 'endSessionsByLink',
  tag,
  access: { guard: 'open' },
  summary: { fa: 'پایان همهٔ نشست‌ها با لینک پیام', en: 'End all sessions with the link of a message' },
  description:
    'A message about a change of how one signs in carries the secret. It works once within a week, needs no session, and does nothing else.',
  body: inputObject({ secret: Type.String({ maxLength: 128 }) }, 'EndSessionsLink'),
  result: responseObject({ ended: Type.Integer() }, 'EndedSessions'),
  errors: ['not_found', 'rate_limited'],
});
