/**
 * Deliveries that wait, of customers and of staff: leased by one replica at a time, recorded when they were tried,
 * delayed during quiet hours.
 */
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Queryable } from '../platform/db/index.ts';
import { type CarryOutcome, nextTry } from './carry.ts';
import { type DeliveryTable, NOTE_TRY, PUT_OFF } from './delivery-rows.ts';

/** Longer than a slow mail server takes, because a message that two replicas send at once arrives twice. */
const LEASE_MS = 3 * MINUTE_MS;

/** The parameters of `taken`. */
export function leaseOf(nowMs: number, max: number): readonly unknown[] {
  return [new Date(nowMs), new Date(nowMs + LEASE_MS), max];
}

export async function putOff(db: Queryable, table: DeliveryTable, id: string, until: Date): Promise<void> {
  await PUT_OFF(table).run(db, [id, until]);
}

export interface TriedDelivery {
  id: string;
  tries: number;
  first_try_at: Date | null;
}

/** Records how a try ended; `failed` when it is not tried again. */
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
  await NOTE_TRY(table).run(db, [
    id,
    state,
    tries,
    firstTryAt,
    nextTryAt,
    outcome.status ?? null,
    outcome.done ? null : outcome.problem,
    outcome.done ? now : null,
  ]);
  return state;
}
