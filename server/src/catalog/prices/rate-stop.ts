/** When models priced by the exchange rate stop being offered, because the rate could not be read for too long. */
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Queryable } from '../../platform/db/index.ts';

/** Undefined: never. */
export async function rateStopsAt(db: Queryable): Promise<number | undefined> {
  const [row] = await db.query<{ ok_at: Date; stale_hours: number }>(
    'select ok_at, stale_hours from rate_source where stop_when_stale',
  );
  return row && row.ok_at.getTime() + row.stale_hours * HOUR_MS;
}
