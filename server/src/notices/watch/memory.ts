/** What was told of an account, so that the same news is not told again. */
import type { JsonObject } from '../../core/json.ts';
import type { Queryable } from '../../platform/db/index.ts';

export async function readMemory(db: Queryable, accountId: string, subject: string): Promise<JsonObject | undefined> {
  const [row] = await db.query<{ value: JsonObject }>(
    'select value from alert_memory where account_id = $1 and subject = $2',
    [accountId, subject],
  );
  return row?.value;
}

export async function writeMemory(db: Queryable, accountId: string, subject: string, value: JsonObject): Promise<void> {
  await db.query(
    `insert into alert_memory (account_id, subject, value) values ($1, $2, $3)
     on conflict (account_id, subject) do update set value = excluded.value`,
    [accountId, subject, value],
  );
}

/**
 * Some things are done by one replica for all. A turn that does not end, because it failed or its process died, is over after a
 * while, and whoever looks next takes another.
 */
export async function takeWatchTurn(db: Queryable, turn: string, nowMs: number, forMs: number): Promise<boolean> {
  const taken = await db.query(
    `insert into alert_memory (account_id, subject, value) values ('', $1, $2)
     on conflict (account_id, subject) do update set value = excluded.value
     where (alert_memory.value ->> 'until')::bigint <= $3 returning subject`,
    [turn, { until: nowMs + forMs }, nowMs],
  );
  return taken.length > 0;
}
