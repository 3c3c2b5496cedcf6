/**
 * What moved a wallet, newest first: the charges of a day and key as one line, everything else as it was booked, each
 * with the balance after it. Charges are read from the roll-up that posting writes with them (`usage_daily`), which
 * always adds up to the ledger's charges and grows with days, keys and models, not with requests. Within a day charges
 * count as the latest, so they are shown first, and the first line of all holds the present balance.
 */

import { firstIdAt } from '../core/ids.ts';
import { type Money, money } from '../core/money.ts';
import { refuseCursor } from '../keys/index.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { Movement, MovementFilter } from './movement-rows.ts';
import { type Place, selectDayCharges, selectMovements, toMovement } from './movement-rows.ts';

export interface DayCharge {
  requestId: string;
  model: string;
  amount: Money;
  at: Date;
}

const MAX_LIMIT = 200;

export async function readMovements(
  db: Queryable,
  filter: MovementFilter,
  { after, limit = 50 }: { after?: string | undefined; limit?: number | undefined },
): Promise<{ items: Movement[]; next: string | null }> {
  // Only charges have a key.
  if (filter.keyId !== undefined && (filter.kind ?? 'charge') !== 'charge') return { items: [], next: null };
  const shown = Math.min(Math.max(1, limit), MAX_LIMIT);
  const place = after === undefined ? undefined : readPlace(after);
  const rows = await selectMovements(db, { filter, after: place, fetch: shown + 1 });
  const items = rows.slice(0, shown).map(toMovement);
  const last = items.at(-1);
  return { items, next: rows.length > shown && last ? writePlace(last) : null };
}

/**
 * The requests behind a line of charges, as long as the log has them. Their rows hold the day in the zone that the
 * account had then; ids begin with the time, which limits the walk to the days around it.
 */
export async function readDayCharges(
  db: Queryable,
  { accountId, day, keyId }: { accountId: string; day: string; keyId: string },
  { after, limit = 50 }: { after?: string | undefined; limit?: number | undefined },
): Promise<{ items: DayCharge[]; next: string | null }> {
  const shown = Math.min(Math.max(1, limit), MAX_LIMIT);
  const noon = Date.parse(`${day}T12:00:00Z`);
  const times = [noon - AROUND_MS, noon + AROUND_MS];
  if (after !== undefined && !/^[\w-]{1,100}$/.test(after)) refuseCursor();
  const rows = await selectDayCharges(db, shown + 1, [
    accountId,
    ...times.map((ms, end) => (end === 1 && after !== undefined ? after : firstIdAt('req', ms))),
    ...times.map((ms) => new Date(ms)),
    day,
    keyId,
  ]);
  const items = rows.slice(0, shown).map(({ id, model, cost, created_at: at }) => ({
    requestId: id,
    model,
    amount: money(-BigInt(cost)),
    at,
  }));
  return { items, next: rows.length > shown ? (items.at(-1)?.requestId ?? null) : null };
}

/** Counted from noon, so that it covers the day in every time zone. */
const AROUND_MS = 27 * 3_600_000;

function writePlace({ day, keyId, at, id }: Movement): string {
  const place = keyId === null ? `${day}.t.${at?.getTime() ?? 0}.${id}` : `${day}.c.${keyId}`;
  return Buffer.from(place).toString('base64url');
}

function readPlace(after: string): Place {
  const text = Buffer.from(after, 'base64url').toString();
  const charges = /^(\d{4}-\d\d-\d\d)\.c\.(\P{Cc}{1,200})$/u.exec(text);
  const transfer = /^(\d{4}-\d\d-\d\d)\.t\.(\d{1,15})\.(\P{Cc}{1,200})$/u.exec(text);
  const day = (charges ?? transfer)?.[1] ?? '';
  if (Number.isNaN(Date.parse(`${day}T00:00:00Z`))) refuseCursor();
  if (charges) return { day, keyId: charges[2] ?? '' };
  return { day, at: new Date(Number(transfer?.[2])), id: transfer?.[3] ?? '' };
}
