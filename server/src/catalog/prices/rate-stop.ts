/** When models priced by the exchange rate stop being offered, because the rate could not be read for too long. */
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { STOPPING_RATE_SOURCE } from './term-rows.ts';

/** Undefined when they never stop. */
export async function rateStopsAt(db: Queryable): Promise<number | undefined> {
  const row = await STOPPING_RATE_SOURCE.first(db);
  return row && row.ok_at.getTime() + row.stale_hours * HOUR_MS;
}
