/** Remembers what an account was told, so that the same is not told again. */
import type { JsonObject } from '../../core/json.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { MEMORY, TAKE_TURN, WRITE_MEMORY } from './watch-rows.ts';

export async function readMemory(db: Queryable, accountId: string, subject: string): Promise<JsonObject | undefined> {
  const row = await MEMORY.first(db, [accountId, subject]);
  return row?.value;
}

export async function writeMemory(db: Queryable, accountId: string, subject: string, value: JsonObject): Promise<void> {
  await WRITE_MEMORY.run(db, [accountId, subject, value]);
}

/**
 * Some jobs are done by one replica for all. A turn that does not end, because it failed or its process died, is over
 * after a while, and the next replica takes another.
 */
export async function takeWatchTurn(db: Queryable, turn: string, nowMs: number, forMs: number): Promise<boolean> {
  const taken = await TAKE_TURN.rows(db, [turn, { until: nowMs + forMs }, nowMs]);
  return taken.length > 0;
}
