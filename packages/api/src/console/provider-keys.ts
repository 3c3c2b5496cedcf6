/** The account's own keys at providers, described: they go in and never come out. */
import Type from 'typebox';
import { member } from '../access.ts';
import { inputObject, nullable, responseObject, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { Done, Name } from './console-schemas.ts';

const tag = 'Own keys at providers';
const path = '/api/console/provider-keys';
const READ = member('keys', 'read', 'owner', 'admin', 'developer', 'viewer');
const WRITE = { ...member('keys', 'write', 'owner', 'admin'), personOnly: true } as const;

const ProviderKey = responseObject(
  {
    object: Type.Literal('provider_key'),
    id: Type.String(),
    provider: Type.String(),
    name: Type.String(),
    last4: nullable(Type.String({ description: 'The last four characters; null where the secret is short.' })),
    fallback: Type.Boolean({
      description: 'Whether routes of the service may answer, at their price, when the key does not.',
    }),
    in_use: Type.Boolean({ description: 'False while the service takes no own keys for this provider.' }),
    created_by: Type.String(),
    created_at: Time,
    updated_at: Time,
  },
  'ProviderKey',
);
const Fallback = Type.Boolean({
  description:
    'True: when the key is refused, used up or its provider fails, routes of the service answer, at their price. False by default.',
});

export const listProviderKeys = describeRoute({
  method: 'GET',
  path,
  operationId: 'listProviderKeys',
  tag,
  access: READ,
  summary: { fa: 'کلیدهای شخصی نزد ارائه‌دهندگان', en: 'The account’s own keys at providers, without their secrets' },
  result: responseObject(
    {
      object: Type.Literal('list'),
      data: Type.Array(ProviderKey),
      enabled: Type.Boolean({ description: 'Whether the service takes own keys.' }),
      fee_percent: Type.Integer({ description: 'Of the usual price of a model, for requests with an own key.' }),
      providers: Type.Array(
        responseObject({ id: Type.String(), name: responseObject({ fa: Type.String(), en: Type.String() }) }),
        { description: 'For whom a key is taken.' },
      ),
    },
    'ProviderKeys',
  ),
});

export const addProviderKey = describeRoute({
  method: 'POST',
  path,
  operationId: 'addProviderKey',
  tag,
  access: { ...WRITE, freshProof: true },
  summary: {
    fa: 'افزودن کلید شخصی',
    en: 'Bring a key of your own at a provider; it is tried first and never shown again',
  },
  description:
    'Requests for models of that provider then go out with this key, for this account alone, and cost the fee instead of the price.',
  body: inputObject(
    {
      provider: Type.String({ minLength: 1, maxLength: 64 }),
      secret: Type.String({ minLength: 1, maxLength: 512, description: 'Kept encrypted; never shown again.' }),
      name: Type.Optional(Name),
      fallback: Type.Optional(Fallback),
    },
    'NewProviderKey',
  ),
  status: 201,
  result: ProviderKey,
  errors: ['conflict', 'rate_limited'],
  example: { provider: 'openai', secret: 'sk-…', fallback: false },
});

export const changeProviderKey = describeRoute({
  method: 'PATCH',
  path: `${path}/:id`,
  operationId: 'changeProviderKey',
  tag,
  access: { ...WRITE, freshProof: true },
  summary: { fa: 'تغییر کلید شخصی', en: 'Rename it, or say whether routes of the service may answer instead' },
  body: inputObject({ name: Type.Optional(Name), fallback: Type.Optional(Fallback) }, 'ProviderKeyChange'),
  result: ProviderKey,
  errors: ['not_found'],
  example: { fallback: true },
});

export const removeProviderKey = describeRoute({
  method: 'DELETE',
  path: `${path}/:id`,
  operationId: 'removeProviderKey',
  tag,
  access: WRITE,
  summary: { fa: 'حذف کلید شخصی', en: 'Remove it; requests go by routes of the service again' },
  result: Done,
  errors: ['not_found'],
});
