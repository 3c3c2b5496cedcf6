import type { Queryable } from '../platform/db/index.ts';

/** Which of these requests gave a whole answer and were charged for it, as far as their charges have been posted. */
export async function completedAmong(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    `select id from request_log where id = any($1::text[]) and state = 'completed'`,
    [[...ids]],
  );
  return new Set(rows.map(({ id }) => id));
}
