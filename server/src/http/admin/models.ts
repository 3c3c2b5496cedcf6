/** `/api/admin/models`: what is offered, by which routes and at what price. A price is never changed, only followed by another. */

import {
  changeModel,
  createModel,
  deleteModel,
  getManagedModel,
  listManagedModels,
  listPrices,
  removeRoute,
  setPrice,
  setRoute,
  unpinPrice,
  withdrawPrice,
} from '@dargah/api/admin/models.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { CatalogAdmin } from '../../catalog/index.ts';
import type { Json } from '../../core/json.ts';
import type { Register } from '../routes/register.ts';

const idOf = (params: Record<string, string>) => `${params['vendor']}/${params['model']}`;

export function models(register: Register, service: CatalogAdmin['models']): void {
  register(createModel, ({ body, actor }) => service.create(body as Json, actor));
  register(listManagedModels, async () => page(await service.list()));
  register(getManagedModel, ({ params }) => service.get(idOf(params)));
  register(changeModel, ({ params, body, actor }) => service.update(idOf(params), body as Json, actor));
  register(deleteModel, async ({ params, actor }) => {
    await service.remove(idOf(params), actor);
    return { id: idOf(params), deleted: true };
  });
  routes(register, service);
}

function routes(register: Register, service: CatalogAdmin['models']): void {
  register(setRoute, ({ params, body, actor }) => service.setRoute(idOf(params), body as Json, actor));
  register(removeRoute, ({ params, query, actor }) =>
    service.removeRoute(idOf(params), query.provider, query.model, actor),
  );
}

export function prices(register: Register, service: CatalogAdmin['prices']): void {
  register(setPrice, ({ params, body, actor }) => service.set(idOf(params), body as Json, actor));
  register(unpinPrice, ({ params, actor }) => service.unpin(idOf(params), actor));
  register(withdrawPrice, ({ params, actor }) => service.withdraw(idOf(params), params.version, actor));
  register(listPrices, async ({ params, query }) => page(await service.history(idOf(params), query.limit)));
}
