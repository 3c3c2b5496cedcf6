/** What somebody should look at: routes that are used and whose cost nobody has said, and routes that cost more than they are sold for. */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { CatalogSnapshot, Model } from '../catalog/index.ts';
import type { Clock } from '../core/clock.ts';
import { type Money, money } from '../core/money.ts';
import { type Price, unitPrice } from '../core/price.ts';
import { BUCKETS, type Bucket } from '../core/usage.ts';
import { homeDay } from '../ledger/index.ts';
import type { ProfitReports } from '../payments/index.ts';
import type { Database } from '../platform/db/index.ts';

export interface RouteWithoutCost {
  model: string;
  provider: string;
  /** Of those whose cost is known by now, what was sold before can be counted. */
  routes: { upstream: string; hasCost: boolean }[];
  requests: number;
  revenue: Money;
}

export interface RouteAtALoss {
  model: string;
  provider: string;
  upstreamModel: string;
  /** Where a unit costs more than it is sold for. */
  buckets: Bucket[];
}

export interface CostTasks {
  withoutCost: RouteWithoutCost[];
  atALoss: RouteAtALoss[];
}

export interface CostTasksOptions {
  db: Database;
  clock: Clock;
  profit: Pick<ProfitReports, 'byRoute'>;
  catalog(): CatalogSnapshot;
}

const DAYS = 30;
const MAX_SHOWN = 100;

export async function costTasks({ db, clock, profit, catalog }: CostTasksOptions): Promise<CostTasks> {
  const now = clock.now();
  const days = { first: homeDay(now - (DAYS - 1) * DAY_MS), last: homeDay(now) };
  const used = (await profit.byRoute(days)).filter(({ unknownRequests }) => unknownRequests > 0n);
  const rows = await db.query<{ model: string; provider: string; upstream: string; hasCost: boolean }>(
    `select model_id as model, provider_id as provider, upstream_model as upstream, cost is not null as "hasCost" from route
     order by upstream_model`,
  );
  const withoutCost = used
    .sort((a, b) => Number(b.unknownRevenue - a.unknownRevenue))
    .slice(0, MAX_SHOWN)
    .map(({ model, provider, unknownRequests, unknownRevenue }) => ({
      model,
      provider,
      routes: rows.flatMap(({ upstream, hasCost, ...row }) =>
        row.model === model && row.provider === provider ? [{ upstream, hasCost }] : [],
      ),
      requests: Number(unknownRequests),
      revenue: money(unknownRevenue),
    }));
  const atALoss = [...catalog().models.values()].flatMap(lossesOf).slice(0, MAX_SHOWN);
  return { withoutCost, atALoss };
}

function lossesOf(model: Model): RouteAtALoss[] {
  if (model.simulated) return [];
  return model.routes.flatMap(({ provider, upstreamModel, cost }) => {
    const buckets = cost === undefined ? [] : dearer(cost, model.price);
    return buckets.length === 0 ? [] : [{ model: model.id, provider: provider.id, upstreamModel, buckets }];
  });
}

/** Buckets that the cost names. */
function dearer(cost: Price, price: Price): Bucket[] {
  return BUCKETS.filter(
    (bucket) => cost.perUnit[bucket] !== undefined && unitPrice(cost, bucket) > unitPrice(price, bucket),
  );
}
