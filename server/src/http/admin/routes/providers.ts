/** `/api/admin/providers`, described: who is called. Secrets go in and never come out. */
import Type from 'typebox';
import { Deleted, pageOf } from '../../openapi/building-blocks.ts';
import { STAFF_READ, scoped, staff } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';
import { CredentialSchema, NewCredential, NewProvider, ProviderChange, ProviderSchema } from '../catalog-schemas.ts';

const tag = 'Providers';
const path = '/api/admin/providers';
const WRITE = scoped('providers', staff('owner'));

export const createProvider = describeRoute({
  method: 'POST',
  path,
  operationId: 'createProvider',
  tag,
  summary: { fa: 'افزودن ارائه‌دهنده', en: 'Add a provider' },
  body: NewProvider,
  result: ProviderSchema,
  status: 201,
  errors: ['conflict'],
  example: { id: 'my-openai', vendor: 'openai', api_key: 'sk-…' },
  access: WRITE,
});

export const listProviders = describeRoute({
  method: 'GET',
  path,
  operationId: 'listProviders',
  tag,
  summary: { fa: 'فهرست ارائه‌دهندگان', en: 'List providers' },
  result: pageOf(ProviderSchema),
  access: STAFF_READ,
});

export const getProvider = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getProvider',
  tag,
  summary: { fa: 'یک ارائه‌دهنده', en: 'One provider' },
  result: ProviderSchema,
  errors: ['not_found'],
  access: STAFF_READ,
});

export const changeProvider = describeRoute({
  method: 'PATCH',
  path: `${path}/:id`,
  operationId: 'changeProvider',
  tag,
  summary: { fa: 'تغییر یا غیرفعال‌کردن ارائه‌دهنده', en: 'Change or disable a provider' },
  body: ProviderChange,
  result: ProviderSchema,
  errors: ['not_found', 'conflict'],
  example: { enabled: false },
  access: WRITE,
});

export const deleteProvider = describeRoute({
  method: 'DELETE',
  path: `${path}/:id`,
  operationId: 'deleteProvider',
  tag,
  summary: { fa: 'حذف ارائه‌دهنده', en: 'Delete a provider and its routes' },
  result: Deleted,
  errors: ['not_found', 'conflict'],
  access: WRITE,
});

export const addCredential = describeRoute({
  method: 'POST',
  path: `${path}/:id/credentials`,
  operationId: 'addCredential',
  tag,
  summary: { fa: 'افزودن کلید ارائه‌دهنده', en: "Add one of the provider's secrets" },
  body: NewCredential,
  result: Type.Object({ id: Type.String(), provider: Type.String() }),
  status: 201,
  errors: ['not_found', 'conflict'],
  example: { secret: 'sk-…' },
  access: WRITE,
});

export const listCredentials = describeRoute({
  method: 'GET',
  path: `${path}/:id/credentials`,
  operationId: 'listCredentials',
  tag,
  summary: { fa: 'کلیدهای ارائه‌دهنده، بی متن', en: 'The provider’s credentials, without their secrets' },
  result: pageOf(CredentialSchema),
  errors: ['not_found'],
  access: STAFF_READ,
});

export const removeCredential = describeRoute({
  method: 'DELETE',
  path: `${path}/:id/credentials/:credential`,
  operationId: 'removeCredential',
  tag,
  summary: { fa: 'برداشتن کلید ارائه‌دهنده', en: 'Remove a credential' },
  result: Deleted,
  errors: ['not_found', 'conflict'],
  access: WRITE,
});
