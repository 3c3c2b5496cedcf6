/** Whether a request has ended and whether it was charged, by its id; the id tells its time. */
import { timeOfId } from '../core/ids.ts';
import type { Queryable } from '../platform/db/index.ts';
import { STATE_OF_REQUEST } from './request-rows.ts';

export async function begunRequest(db: Queryable, id: string): Promise<'unknown' | 'charged' | 'free'> {
  const row = await STATE_OF_REQUEST.first(db, [id, timeOfId(id) ?? 0]);
  if (!row || row.state === 'running') return 'unknown';
  return row.charged ? 'charged' : 'free';
}
