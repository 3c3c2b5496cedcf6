/** What an operator does to a running service, described: try a provider, look at the ways out, change the master key. */
import Type from 'typebox';
import { nullable, pageOf, responseObject } from '../../openapi/building-blocks.ts';
import { STAFF_READ, scoped, staff } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';

const tag = 'Operations';

const StepSchema = responseObject({
  step: Type.String({ description: '`dns`, `proxy`, `connect`, `tls`, `auth` or `model`.' }),
  ok: Type.Boolean(),
  ms: Type.Number(),
  detail: Type.String(),
});

export const testProvider = describeRoute({
  method: 'POST',
  path: '/api/admin/providers/:id/test',
  operationId: 'testProvider',
  tag,
  summary: { fa: 'آزمودن یک ارائه‌دهنده، گام به گام', en: 'Try a provider, step by step' },
  description:
    'Name, way out, connection, TLS, credentials, models: which step fails, and how long each takes. Nothing is generated and nothing costs.',
  result: responseObject(
    {
      object: Type.Literal('provider_test'),
      provider: Type.String(),
      ok: Type.Boolean(),
      ways: Type.Array(responseObject({ via: Type.String(), steps: Type.Array(StepSchema) })),
      credentials: Type.Array(responseObject({ id: Type.String(), steps: Type.Array(StepSchema) })),
    },
    'ProviderTest',
  ),
  errors: ['not_found'],
  access: scoped('providers', staff('owner')),
});

export const listProviderModels = describeRoute({
  method: 'POST',
  path: '/api/admin/catalog/providers',
  operationId: 'listProviderModels',
  tag: 'Models',
  summary: { fa: 'فهرست خودِ ارائه‌دهندگان', en: "The providers' own lists of models beside our routes" },
  description:
    'Asked now. `missing`: routes that a provider no longer lists; `unlisted`: needs a price before it is offered.',
  result: pageOf(
    responseObject(
      {
        provider: Type.String(),
        missing: Type.Array(Type.String()),
        unlisted: Type.Array(Type.String()),
        problem: nullable(Type.String()),
      },
      'ProviderModels',
    ),
  ),
  access: scoped('catalog', staff('owner', 'finance')),
});

export const listEgresses = describeRoute({
  method: 'GET',
  path: '/api/admin/egresses',
  operationId: 'listEgresses',
  tag,
  summary: { fa: 'راه‌های خروج و حال هر یک', en: 'The ways out in use, and how each does' },
  result: pageOf(
    responseObject(
      {
        name: Type.String({ description: 'Its address, without a password.' }),
        state: Type.String({ description: '`ok` or `failing`.' }),
        cause: nullable(Type.String()),
        failures: Type.Integer(),
        connect_ms: nullable(Type.Number()),
      },
      'Egress',
    ),
  ),
  access: STAFF_READ,
});

export const rotateSecrets = describeRoute({
  method: 'POST',
  path: '/api/admin/secrets/rotate',
  operationId: 'rotateSecrets',
  tag,
  summary: { fa: 'کلید اصلی تازه، بی‌وقفه', en: 'A new master key, without a pause' },
  description:
    'Everything sealed is sealed anew. A key that is kept beside the data is replaced; one from the environment is the operator’s to replace (`NEW,OLD`), then everything is sealed with the first.',
  result: responseObject(
    {
      object: Type.Literal('secrets_rotation'),
      source: Type.String({ description: 'Where the key comes from: `environment`, `file` or `database`.' }),
      resealed: Type.Integer(),
      unreadable: Type.Integer({ description: 'Sealed under a key that nobody has any more.' }),
    },
    'SecretsRotation',
  ),
  access: staff('owner'),
});
