import type { Queryable } from './database.ts';

/** Takes a lock of this name over all replicas, until the transaction ends. */
export async function lockUntilCommit(tx: Queryable, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [name]);
}
