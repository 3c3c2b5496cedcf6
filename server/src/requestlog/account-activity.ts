/** What one account did lately, at a price that does not grow with the log: every part is a bounded walk over an index. */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { firstIdAt } from '../core/ids.ts';
import type { Queryable } from '../platform/db/database.ts';

export interface AccountActivity {
  lastUsedAt: Date | null;
  /** Micro-toman of the last thirty days. */
  cost: bigint;
  /** Of the last 24 hours. */
  requests: number;
  failed: number;
  refused: number;
  /** What it used in the last seven days, and what failed it in the last 24 hours. */
  models: string[];
}

/** In the index's order: without it a plan gathers all rows before it stops at the limit. */
const MAX_REQUESTS = 100_000;
const MAX_TROUBLE = 10_000;

const ACTIVITY = `select
  (select max(last_at) from usage_daily u where u.account_id = $1
     and u.day >= (select max(day) from usage_daily d where d.account_id = $1) - 1) as "lastUsedAt",
  (select coalesce(sum(cost), 0)::text from usage_daily where account_id = $1 and day > $4::date - 30) as cost,
  (select count(*)::int from (select from request_log where account_id = $1 and id >= $2 and created_at >= $3
     order by id desc limit ${MAX_REQUESTS}) found) as requests,
  trouble.failed, trouble.refused,
  array(select model from usage_daily where account_id = $1 and day > $4::date - 7
        union select unnest(trouble.models)) as models
  from (select count(*) filter (where state in ('failed', 'interrupted'))::int as failed,
               count(*) filter (where state = 'refused')::int as refused,
               array_agg(distinct model) filter (where state = 'failed' and model is not null) as models
          from (select state, model from request_log where account_id = $1 and id >= $2 and created_at >= $3
                   and state <> 'completed' order by id desc limit ${MAX_TROUBLE}) found) trouble`;

export async function readAccountActivity(db: Queryable, accountId: string, nowMs: number): Promise<AccountActivity> {
  const from = nowMs - DAY_MS;
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const [row] = await db.query<Omit<AccountActivity, 'cost'> & { cost: string }>(ACTIVITY, [
    accountId,
    firstIdAt('req', from),
    new Date(from),
    today,
  ]);
  if (!row) return { lastUsedAt: null, cost: 0n, requests: 0, failed: 0, refused: 0, models: [] };
  return { ...row, cost: BigInt(row.cost) };
}
