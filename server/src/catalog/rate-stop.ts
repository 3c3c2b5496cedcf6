/** A rate that could not be read for too long may stop what is priced by it. */
import type { Queryable } from '../platform/db/index.ts';

const HOUR_MS = 3_600_000;

/** undefined: without end. */
export async function rateStopsAt(db: Queryable): Promise<number | undefined> {
  const [row] = await db.query<{ ok_at: Date; stale_hours: number }>(
    'select ok_at, stale_hours from rate_source where stop_when_stale',
  );
  return row && row.ok_at.getTime() + row.stale_hours * HOUR_MS;
}
