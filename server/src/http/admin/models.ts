/** `/api/admin/models`: what is offered, by which routes and at what price. A price is never changed, only followed by another. */

import {
  changeModel,
  changeRoute,
  createModel,
  deleteModel,
  getManagedModel,
  getModelUses,
  getRouteTraffic,
  keepModel,
  listManagedModels,
  listPrices,
  listRouteCosts,
  removeRoute,
  retireModel,
  setModelDescription,
  setPrice,
  setRoute,
  setRouteCost,
  unpinPrice,
  withdrawPrice,
} from '@dargah/api/admin/models.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { CatalogAdmin } from '../../catalog/index.ts';
import type { Json } from '../../core/json.ts';
import type { UptimeReports } from '../../uptime/index.ts';
import type { Register } from '../routes/register.ts';

const idOf = (params: Record<string, string>) => `${params['vendor']}/${params['model']}`;

/** Counts of a model's routes in the last 24 hours. */
export function routeTraffic(register: Register, uptime: Pick<UptimeReports, 'lastDayOf'>): void {
  register(getRouteTraffic, async ({ params }) => {
    const days = [...(await uptime.lastDayOf(idOf(params)))];
    const all = days.reduce((sum, [, { answered, failed }]) => sum + answered + failed, 0);
    return page(
      days.map(([route, { answered, failed, slowFirstTokenMs }]) => ({
        route,
        answered,
        failed,
        share: all === 0 ? 0 : (answered + failed) / all,
        p95_ms: slowFirstTokenMs ?? null,
      })),
    );
  });
}

export function models(
  register: Register,
  { models: service, retirement, uses, routes: byRoute, costs }: CatalogAdmin,
): void {
  register(createModel, ({ body, actor }) => service.create(body as Json, actor));
  register(listManagedModels, async () => page(await service.list()));
  register(getManagedModel, ({ params }) => service.get(idOf(params)));
  register(changeModel, ({ params, body, actor }) => service.update(idOf(params), body as Json, actor));
  register(setModelDescription, ({ params, body, actor }) => service.describe(idOf(params), body, actor));
  register(deleteModel, async ({ params, actor }) => {
    await service.remove(idOf(params), actor);
    return { id: idOf(params), deleted: true };
  });
  register(retireModel, ({ params, body, actor }) => retirement.announce(idOf(params), body, actor));
  register(keepModel, ({ params, actor }) => retirement.withdraw(idOf(params), actor));
  register(getModelUses, ({ params }) => uses.ofModel(idOf(params)));
  routes(register, byRoute);
  routeCosts(register, costs);
}

const routeOf = (params: Record<string, string>, query: { provider: string; model: string }) => ({
  model: idOf(params),
  provider: query.provider,
  upstream: query.model,
});

function routes(register: Register, service: CatalogAdmin['routes']): void {
  register(setRoute, ({ params, body, actor }) => service.set(idOf(params), body as Json, actor));
  register(changeRoute, ({ params, query, body, actor }) =>
    service.update(routeOf(params, query), body as Json, actor),
  );
  register(removeRoute, ({ params, query, actor }) => service.remove(routeOf(params, query), actor));
}

function routeCosts(register: Register, service: CatalogAdmin['costs']): void {
  register(setRouteCost, ({ params, query, body, actor }) => service.set(routeOf(params, query), body as Json, actor));
  register(listRouteCosts, async ({ params, query }) => page(await service.history(routeOf(params, query))));
}

export function prices(register: Register, service: CatalogAdmin['prices']): void {
  register(setPrice, ({ params, body, actor }) => service.set(idOf(params), body as Json, actor));
  register(unpinPrice, ({ params, actor }) => service.unpin(idOf(params), actor));
  register(withdrawPrice, ({ params, actor }) => service.withdraw(idOf(params), params.version, actor));
  register(listPrices, async ({ params, query }) => page(await service.history(idOf(params), query.limit)));
}
