/** `/api/admin/providers`: who is called. Secrets go in and never come out. */
import Type from 'typebox';
import type { CatalogAdmin } from '../../catalog/index.ts';
import type { Json } from '../../core/json.ts';
import { Deleted, page, pageOf } from '../openapi/building-blocks.ts';
import { CredentialShape, NewCredential, NewProvider, ProviderChange, ProviderShape } from './catalog-shapes.ts';
import type { RegisterOperatorRoute } from './operator-routes.ts';

const tag = 'Providers';
const path = '/api/admin/providers';

export function providers(register: RegisterOperatorRoute, service: CatalogAdmin['providers']): void {
  register({
    method: 'POST',
    path,
    operationId: 'createProvider',
    tag,
    summary: { fa: 'افزودن ارائه‌دهنده', en: 'Add a provider' },
    body: NewProvider,
    result: ProviderShape,
    status: 201,
    errors: ['conflict'],
    example: { id: 'my-openai', vendor: 'openai', api_key: 'sk-…' },
    run: ({ body, actor }) => service.create(body as Json, actor),
  });
  register({
    method: 'GET',
    path,
    operationId: 'listProviders',
    tag,
    summary: { fa: 'فهرست ارائه‌دهندگان', en: 'List providers' },
    result: pageOf(ProviderShape),
    run: async () => page(await service.list()),
  });
  register({
    method: 'GET',
    path: `${path}/:id`,
    operationId: 'getProvider',
    tag,
    summary: { fa: 'یک ارائه‌دهنده', en: 'One provider' },
    result: ProviderShape,
    errors: ['not_found'],
    run: ({ params }) => service.get(params['id'] ?? ''),
  });
  register({
    method: 'PATCH',
    path: `${path}/:id`,
    operationId: 'changeProvider',
    tag,
    summary: { fa: 'تغییر یا غیرفعال‌کردن ارائه‌دهنده', en: 'Change or disable a provider' },
    body: ProviderChange,
    result: ProviderShape,
    errors: ['not_found', 'conflict'],
    example: { enabled: false },
    run: ({ params, body, actor }) => service.update(params['id'] ?? '', body as Json, actor),
  });
  register({
    method: 'DELETE',
    path: `${path}/:id`,
    operationId: 'deleteProvider',
    tag,
    summary: { fa: 'حذف ارائه‌دهنده', en: 'Delete a provider and its routes' },
    result: Deleted,
    errors: ['not_found', 'conflict'],
    run: async ({ params, actor }) => {
      const id = params['id'] ?? '';
      await service.remove(id, actor);
      return { id, deleted: true };
    },
  });
  credentials(register, service);
}

function credentials(register: RegisterOperatorRoute, service: CatalogAdmin['providers']): void {
  register({
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
    run: async ({ params, body, actor }) => {
      const provider = params['id'] ?? '';
      const { id } = await service.addCredential(provider, body.secret, actor);
      return { id, provider };
    },
  });
  register({
    method: 'GET',
    path: `${path}/:id/credentials`,
    operationId: 'listCredentials',
    tag,
    summary: { fa: 'کلیدهای ارائه‌دهنده، بی متن', en: 'The provider’s credentials, without their secrets' },
    result: pageOf(CredentialShape),
    errors: ['not_found'],
    run: async ({ params }) => page((await service.get(params['id'] ?? ''))['credentials'] as Json[]),
  });
  register({
    method: 'DELETE',
    path: `${path}/:id/credentials/:credential`,
    operationId: 'removeCredential',
    tag,
    summary: { fa: 'برداشتن کلید ارائه‌دهنده', en: 'Remove a credential' },
    result: Deleted,
    errors: ['not_found', 'conflict'],
    run: async ({ params, actor }) => {
      const id = params['credential'] ?? '';
      await service.removeCredential(params['id'] ?? '', id, actor);
      return { id, deleted: true };
    },
  });
}
