/** What waits to be carried, of customers and of staff: taken by one replica at a time, noted when it was tried, put off for quiet hours. */
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Queryable } from '../platform/db/index.ts';
import { type CarryOutcome, nextTry } from './carry.ts';

export type DeliveryTable = 'notice_delivery' | 'staff_delivery' | 'settled_event';

/** Longer than a slow mail server takes: a message that two replicas carry at once arrives twice. */
const LEASE_MS = 3 * MINUTE_MS;

/** The expression `taken`: those that are due, leased to this replica. Its values are those of `leaseOf`. */
export const taken = (table: DeliveryTable) => `taken as (
  update ${table} set leased_until = $2 where id in (
    select id from ${table} where state = 'waiting' and next_try_at <= $1 and (leased_until is null or leased_until <= $1)
    order by next_try_at limit $3 for update skip locked
  ) returning *
)`;

/** Asked every two seconds, so it is a look at one index: taking is a dear statement even when there is nothing to take. */
export async function isAnyDue(db: Queryable, table: DeliveryTable, nowMs: number): Promise<boolean> {
  const due = `select 1 from ${table} where state = 'waiting' and next_try_at <= $1 limit 1`;
  return (await db.query(due, [new Date(nowMs)])).length > 0;
}

export function leaseOf(nowMs: number, max: number): readonly unknown[] {
  return [new Date(nowMs), new Date(nowMs + LEASE_MS), max];
}

export async function putOff(db: Queryable, table: DeliveryTable, id: string, until: Date): Promise<void> {
  await db.query(`update ${table} set next_try_at = $2, leased_until = null where id = $1`, [id, until]);
}

export interface TriedDelivery {
  id: string;
  tries: number;
  first_try_at: Date | null;
}

/** Notes how a try ended; `failed` when it is not tried again. */
export async function noteTry(
  db: Queryable,
  table: DeliveryTable,
  { id, tries: before, first_try_at: first }: TriedDelivery,
  outcome: CarryOutcome,
  { nowMs, chance }: { nowMs: number; chance: number },
): Promise<'sent' | 'failed' | 'waiting'> {
  const now = new Date(nowMs);
  const tries = before + 1;
  const firstTryAt = first ?? now;
  const nextTryAt = outcome.done ? null : nextTry(tries, firstTryAt, outcome.status, chance);
  const state = outcome.done ? 'sent' : nextTryAt === null ? 'failed' : 'waiting';
  await db.query(
    `update ${table} set state = $2, tries = $3, first_try_at = $4, next_try_at = $5, leased_until = null, last_status = $6,
       last_problem = $7, sent_at = $8 where id = $1`,
    [
      id,
      state,
      tries,
      firstTryAt,
      nextTryAt,
      outcome.status ?? null,
      outcome.done ? null : outcome.problem,
      outcome.done ? now : null,
    ],
  );
  return state;
}
