/** How the signed-in person signs in, described: numbers and addresses, password, passkeys, second factor. */
import Type from 'typebox';
import { AnyJson, Deleted, inputObject, nullable, pageOf, responseObject, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { Code, ContactSchema, Done, Name, Password } from './console-schemas.ts';

const tag = 'Me';
const path = '/api/console/me';
const access = { guard: 'person' } as const;
/** Everything that changes how a person signs in. */
const proved = { guard: 'person', freshProof: true } as const;

const MethodSchema = responseObject(
  {
    object: Type.Literal('sign_in_method'),
    id: Type.String(),
    kind: Type.Enum(['mobile', 'email']),
    value: Type.String(),
    created_at: Time,
  },
  'SignInMethod',
);

export const listSignInMethods = describeRoute({
  method: 'GET',
  path: `${path}/methods`,
  operationId: 'listSignInMethods',
  tag,
  access,
  summary: { fa: 'شماره‌ها و ایمیل‌های من', en: 'My numbers and addresses' },
  result: pageOf(MethodSchema),
});

export const sendMethodCode = describeRoute({
  method: 'POST',
  path: `${path}/methods/codes`,
  operationId: 'sendMethodCode',
  tag,
  access: proved,
  summary: { fa: 'ارسال کد به شماره یا ایمیل جدید', en: 'Send a code to a new number or address' },
  body: inputObject({ to: ContactSchema }, 'MethodCodeOrder'),
  status: 202,
  result: Done,
  errors: ['rate_limited'],
});

export const addSignInMethod = describeRoute({
  method: 'POST',
  path: `${path}/methods`,
  operationId: 'addSignInMethod',
  tag,
  access: proved,
  summary: { fa: 'افزودن شماره یا ایمیل', en: 'Add a number or address with its code' },
  body: inputObject({ to: ContactSchema, code: Code }, 'NewSignInMethod'),
  status: 201,
  result: MethodSchema,
  errors: ['wrong_code', 'rate_limited', 'conflict'],
});

export const removeSignInMethod = describeRoute({
  method: 'DELETE',
  path: `${path}/methods/:id`,
  operationId: 'removeSignInMethod',
  tag,
  access: proved,
  summary: { fa: 'حذف شماره یا ایمیل', en: 'Remove a number or address; the last one stays' },
  result: Deleted,
  errors: ['not_found', 'conflict'],
});

export const setPassword = describeRoute({
  method: 'PUT',
  path: `${path}/password`,
  operationId: 'setPassword',
  tag,
  access: { ...proved, beforePassword: true },
  summary: { fa: 'تعیین رمز عبور', en: 'Set or change the password; ends all other sessions' },
  body: inputObject(
    {
      current: Type.Optional(
        Type.String({
          maxLength: 256,
          description: 'The one that is set; need not be given, and must be right where it is.',
        }),
      ),
      password: Password,
    },
    'PasswordChange',
  ),
  result: Done,
  errors: ['wrong_credentials', 'rate_limited'],
});

const PasskeySchema = responseObject(
  {
    object: Type.Literal('passkey'),
    id: Type.String(),
    name: Type.String(),
    created_at: Time,
    used_at: nullable(Time),
  },
  'Passkey',
);

export const listPasskeys = describeRoute({
  method: 'GET',
  path: `${path}/passkeys`,
  operationId: 'listPasskeys',
  tag,
  access,
  summary: { fa: 'کلیدهای عبور', en: 'My passkeys' },
  result: pageOf(PasskeySchema),
});

export const beginPasskey = describeRoute({
  method: 'POST',
  path: `${path}/passkeys/options`,
  operationId: 'beginPasskey',
  tag,
  access: proved,
  summary: { fa: 'شروع افزودن کلید عبور', en: 'Begin to add a passkey' },
  result: responseObject({ ticket: Type.String(), options: AnyJson }, 'PasskeyChallenge'),
});

export const addPasskey = describeRoute({
  method: 'POST',
  path: `${path}/passkeys`,
  operationId: 'addPasskey',
  tag,
  access: proved,
  summary: { fa: 'افزودن کلید عبور', en: 'Add a passkey' },
  body: inputObject({ ticket: Type.String({ maxLength: 128 }), name: Name, response: AnyJson }, 'NewPasskey'),
  status: 201,
  result: PasskeySchema,
  errors: ['wrong_credentials', 'conflict'],
});

export const removePasskey = describeRoute({
  method: 'DELETE',
  path: `${path}/passkeys/:id`,
  operationId: 'removePasskey',
  tag,
  access: proved,
  summary: { fa: 'حذف کلید عبور', en: 'Remove a passkey' },
  result: Deleted,
  errors: ['not_found'],
});

export const beginTotp = describeRoute({
  method: 'POST',
  path: `${path}/second-factor`,
  operationId: 'beginTotp',
  tag,
  access: proved,
  summary: { fa: 'شروع راه‌اندازی ورود دومرحله‌ای', en: 'Begin to set up an authenticator app' },
  result: responseObject(
    { secret: Type.String(), uri: Type.String({ description: '`otpauth://…`, for a QR picture.' }) },
    'TotpSetup',
  ),
  errors: ['conflict'],
});

export const confirmTotp = describeRoute({
  method: 'POST',
  path: `${path}/second-factor/confirm`,
  operationId: 'confirmTotp',
  tag,
  access: proved,
  summary: { fa: 'تأیید ورود دومرحله‌ای', en: 'Switch the second factor on with its first code' },
  body: inputObject({ code: Code }, 'TotpCode'),
  result: responseObject(
    { recovery_codes: Type.Array(Type.String(), { description: 'Shown this once; each works once.' }) },
    'RecoveryCodes',
  ),
  errors: ['wrong_code', 'rate_limited', 'conflict'],
});

export const removeTotp = describeRoute({
  method: 'POST',
  path: `${path}/second-factor/remove`,
  operationId: 'removeTotp',
  tag,
  access: proved,
  summary: { fa: 'حذف ورود دومرحله‌ای', en: 'Switch the second factor off' },
  body: inputObject({ code: Code }, 'TotpCode'),
  result: Done,
  errors: ['wrong_code', 'rate_limited', 'conflict'],
});
