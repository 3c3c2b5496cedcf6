/** What the log knows of a request by its id, which tells its time: whether it ended, and whether it was charged. */
import { timeOfId } from '../core/ids.ts';
import type { Queryable } from '../platform/db/index.ts';

export async function begunRequest(db: Queryable, id: string): Promise<'unknown' | 'charged' | 'free'> {
  const [row] = await db.query<{ state: string; charged: boolean }>(
    'select state, cost > 0 as charged from request_log where id = $1 and created_at = to_timestamp($2::float8 / 1000)',
    [id, timeOfId(id) ?? 0],
  );
  if (!row || row.state === 'running') return 'unknown';
  return row.charged ? 'charged' : 'free';
}
