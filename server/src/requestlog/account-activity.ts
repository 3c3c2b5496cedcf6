/**
 * What one account did lately. It costs the same however long the log is, because every part reads a bounded piece of
 * an index.
 */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { firstIdAt } from '../core/ids.ts';
import type { Queryable } from '../platform/db/database.ts';
import { ACCOUNT_ACTIVITY } from './activity-sql.ts';

export interface AccountActivity {
  lastUsedAt: Date | null;
  /** Micro-toman of the last thirty days. */
  cost: bigint;
  /** Of the last 24 hours. */
  requests: number;
  failed: number;
  refused: number;
  /** The models that it used in the last seven days, and those that failed it in the last 24 hours. */
  models: string[];
}

export async function readAccountActivity(db: Queryable, accountId: string, nowMs: number): Promise<AccountActivity> {
  const from = nowMs - DAY_MS;
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const row = await ACCOUNT_ACTIVITY.only(db, [accountId, firstIdAt('req', from), new Date(from), today]);
  return { ...row, cost: BigInt(row.cost) };
}
