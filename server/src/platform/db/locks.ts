import type { Queryable } from './database.ts';

/** One at a time over all replicas, until this transaction ends. */
export async function lockUntilCommit(tx: Queryable, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [name]);
}
