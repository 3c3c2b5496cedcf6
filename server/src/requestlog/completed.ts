import type { Queryable } from '../platform/db/index.ts';
import { COMPLETED_AMONG } from './request-rows.ts';

/** Which of these requests got a whole answer and were charged, as far as their charges have been posted. */
export async function completedAmong(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await COMPLETED_AMONG.rows(db, [[...ids]]);
  return new Set(rows.map(({ id }) => id));
}
