/** Profit: what customers were charged and did not get back, less what providers cost, from the rows of the request log. */
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { type Money, money } from '../core/money.ts';
import type { Queryable } from '../platform/db/index.ts';

export type ProfitGroup = 'day' | 'vendor' | 'model' | 'account';

export interface ProfitRow {
  value: string;
  requests: number;
  revenue: Money;
  providerCost: Money;
  /** Requests that were charged and whose provider cost is not known. */
  unknownCost: number;
}

/** Fixed texts: nothing of a caller reaches the statement. */
const VALUE: Record<ProfitGroup, string> = {
  day: `to_char(log.created_at at time zone '${HOME_ZONE}', 'YYYY-MM-DD')`,
  vendor: `coalesce(provider.vendor, log.provider, '')`,
  model: 'log.model',
  account: 'log.account_id',
};

export async function profitBy(db: Queryable, by: ProfitGroup, from: Date, to: Date): Promise<ProfitRow[]> {
  const rows = await db.query<{ value: string; requests: bigint; revenue: string; cost: string; unknown: bigint }>(
    `select ${VALUE[by]} as value, count(*) as requests, coalesce(sum(log.cost - coalesce(back.amount, 0)), 0)::text as revenue,
       coalesce(sum(log.provider_cost), 0)::text as cost,
       count(*) filter (where log.cost > 0 and log.provider_cost is null) as unknown
     from request_log log left join provider on provider.id = log.provider
       left join (
         select request_id, sum(amount) as amount from ledger_transfer where kind = 'refund' group by request_id
       ) as back on back.request_id = log.id
     where log.created_at >= $1 and log.created_at < $2 and log.state <> 'running'
     group by 1 order by ${by === 'day' ? '1' : 'sum(log.cost) desc nulls last, 1'}`,
    [from, to],
  );
  return rows.map(({ value, requests, revenue, cost, unknown }) => ({
    value,
    requests: Number(requests),
    revenue: money(BigInt(revenue)),
    providerCost: money(BigInt(cost)),
    unknownCost: Number(unknown),
  }));
}
