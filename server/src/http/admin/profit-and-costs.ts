/** Profit, and requests whose cost is not known yet. */
import * as routes from '@dargah/api/admin/profit-and-costs.ts';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { type CostCorrections, type CostTasks, correctionView } from '../../accounting/index.ts';
import { toTomanText } from '../../core/money.ts';
import { refuseCursor } from '../../keys/index.ts';
import { homeDay, startOfDay } from '../../ledger/index.ts';
import type { Payments, ProfitRow } from '../../payments/index.ts';
import type { Register } from '../routes/register.ts';
import { dateInput } from '../time-input.ts';

export interface CostServices {
  tasks(): Promise<CostTasks>;
  corrections: Pick<CostCorrections, 'begin' | 'list'>;
  /** Continues corrections that were begun. */
  carryOn(): void;
}

const CORRECTIONS_SHOWN = 20;

export function profitAndCosts(
  register: Register,
  { payments: { profit, clock }, costs }: { payments: Pick<Payments, 'profit' | 'clock'>; costs: CostServices },
): void {
  register(routes.getProfit, async ({ query }) => {
    const to = dateInput(query.to, 'to') ?? new Date(clock.now());
    const from = dateInput(query.from, 'from') ?? new Date(to.getTime() - 30 * DAY_MS);
    const days = { first: homeDay(from.getTime()), last: homeDay(to.getTime() - 1) };
    const { by, calendar = 'jalali', after, limit } = query;
    const report = await profit.read({ by, days, calendar, after, limit });
    if (report === undefined) return refuseCursor();
    return {
      object: 'profit',
      by,
      from: new Date(startOfDay(days.first)).toISOString(),
      to: to.toISOString(),
      data: report.rows.map(profitView),
      total: profitView(report.total),
      next: report.next,
    };
  });
  register(routes.getCostTasks, async () => {
    const [{ withoutCost, atALoss, billsOff }, corrections] = await Promise.all([
      costs.tasks(),
      costs.corrections.list(CORRECTIONS_SHOWN),
    ]);
    return {
      object: 'cost_tasks',
      without_cost: withoutCost.map(({ model, provider, routes: there, requests, revenue }) => ({
        model,
        provider,
        routes: there.map(({ upstream, hasCost }) => ({ model: upstream, has_cost: hasCost })),
        requests,
        revenue: toTomanText(revenue),
      })),
      at_a_loss: atALoss.map(({ model, provider, upstreamModel, buckets }) => ({
        model,
        provider,
        upstream_model: upstreamModel,
        buckets,
      })),
      bills_off: billsOff.map(({ firstDay, lastDay, amount, accrued, ...bill }) => ({
        ...bill,
        first_day: firstDay,
        last_day: lastDay,
        amount: toTomanText(amount),
        accrued: toTomanText(accrued),
      })),
      corrections: corrections.map(correctionView),
    };
  });
  register(routes.countRouteCost, async ({ body, actor }) => {
    const { model, provider, upstream_model: upstream } = body;
    const begun = await costs.corrections.begin({ model, provider, upstream }, actor);
    costs.carryOn();
    return correctionView(begun);
  });
}

function profitView(row: ProfitRow) {
  return {
    value: row.value,
    requests: row.requests,
    revenue: toTomanText(row.revenue),
    provider_cost: toTomanText(row.providerCost),
    waste: toTomanText(row.waste),
    profit: row.profit === null ? null : toTomanText(row.profit),
    profit_low: toTomanText(row.profitLow),
    profit_high: toTomanText(row.profitHigh),
    margin_known: row.marginKnown,
    unknown_cost: row.unknownCost,
    revenue_unknown_cost: toTomanText(row.revenueUnknownCost),
  };
}
