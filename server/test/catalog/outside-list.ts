/** Listed prices in the format in which lists come from outside: tiers beside their prices. */
import { pricesView } from '../../src/catalog/admin/route-cost.ts';
import type { UsdPrice } from '../../src/catalog/prices/toman-price.ts';
import type { ListedModel } from '../../src/catalog/seed/listed-model.ts';
import type { Json } from '../../src/core/json.ts';

export const outsidePrice = (usd: UsdPrice): Json => pricesView(usd);

export const outsideRoutes = (routes: ListedModel['routes']): Json =>
  routes.map(({ usd, ...route }) => ({ ...route, ...(usd && { usd: outsidePrice(usd) }) }));
