/**
 * What staff should look at: used routes of unknown cost, routes sold at a loss, and bills far from what was counted.
 */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { CatalogSnapshot, Model } from '../catalog/index.ts';
import type { Clock } from '../core/clock.ts';
import { type Money, money } from '../core/money.ts';
import { type Price, unitPrice } from '../core/price.ts';
import { BUCKETS, type Bucket } from '../core/usage.ts';
import { homeDay } from '../ledger/index.ts';
import type { ProfitReports } from '../payments/index.ts';
import type { Database } from '../platform/db/index.ts';
import { BILLS_OFF, ROUTES } from './bill-rows.ts';

export interface RouteWithoutCost {
  model: string;
  provider: string;
  /** `hasCost`: the cost is known by now, so the requests sold before it can be corrected. */
  routes: { upstream: string; hasCost: boolean }[];
  requests: number;
  revenue: Money;
}

export interface RouteAtALoss {
  model: string;
  provider: string;
  upstreamModel: string;
  /** The buckets in which a unit costs more than it is sold for. */
  buckets: Bucket[];
}

/** A bill that is far from what was counted: a stated cost is wrong, or requests are missing. */
export interface BillOff {
  id: string;
  provider: string;
  number: string;
  firstDay: string;
  lastDay: string;
  amount: Money;
  accrued: Money;
}

export interface CostTasks {
  withoutCost: RouteWithoutCost[];
  atALoss: RouteAtALoss[];
  billsOff: BillOff[];
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
  const rows = await ROUTES.rows(db);
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
  return { withoutCost, atALoss, billsOff: await readBillsOff(db, now) };
}

/** Bills of the last two months that are more than 5 % off. */
async function readBillsOff(db: Database, nowMs: number): Promise<BillOff[]> {
  const rows = await BILLS_OFF.rows(db, [new Date(nowMs - 2 * DAYS * DAY_MS), MAX_SHOWN]);
  return rows.map((row) => ({ ...row, amount: money(BigInt(row.amount)), accrued: money(BigInt(row.accrued)) }));
}

function lossesOf(model: Model): RouteAtALoss[] {
  if (model.simulated) return [];
  return model.routes.flatMap(({ provider, upstreamModel, cost }) => {
    const buckets = cost === undefined ? [] : bucketsSoldAtLoss(cost, model.price);
    return buckets.length === 0 ? [] : [{ model: model.id, provider: provider.id, upstreamModel, buckets }];
  });
}

/** The buckets whose cost is above their price. */
function bucketsSoldAtLoss(cost: Price, price: Price): Bucket[] {
  return BUCKETS.filter(
    (bucket) => cost.perUnit[bucket] !== undefined && unitPrice(cost, bucket) > unitPrice(price, bucket),
  );
}
