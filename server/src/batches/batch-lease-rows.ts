/** Statements that decide which replica works on a batch. A lease runs out when its holder dies. */
import { command, type Queryable, statement } from '../platform/db/index.ts';
import { BATCH_COLUMNS, type Batch, batchRow, UNFINISHED_BATCH } from './batch-rows.ts';

/** Also batches that somebody works on, since that replica may have died. */
export const BATCHES_WAITING = statement({}, `select from batch where ${UNFINISHED_BATCH}`);
const LEASE_BATCH = statement(
  batchRow,
  `update batch set leased_by = $1, leased_until = now() + $2 * interval '1 millisecond', last_turn_at = now()
    where id = (
      select id from batch b
       where ${UNFINISHED_BATCH} and (leased_until is null or leased_until < now()) and (run_after is null or run_after <= now())
         and not exists (select from batch o where o.account_id = b.account_id and o.leased_until >= now() and o.id <> b.id)
       order by last_turn_at nulls first, created_at limit 1 for update skip locked)
    returning ${BATCH_COLUMNS}`,
);

/**
 * Leases the next batch that nobody holds: the one that has waited longest for a turn, and one per account at a time,
 * so that one account's thousand batches do not delay another's single one. Lease times are the database's, because the
 * clocks of replicas differ.
 */
export async function leaseBatch(db: Queryable, holder: string, leaseMs: number): Promise<Batch | undefined> {
  return LEASE_BATCH.first(db, [holder, leaseMs]);
}

const RENEW_BATCH = statement(
  batchRow,
  `update batch set leased_until = now() + $3 * interval '1 millisecond' where id = $1 and leased_by = $2 returning ${BATCH_COLUMNS}`,
);

/** Renews the lease and returns the batch as it is now; undefined when it is no longer ours. */
export async function renewBatch(
  db: Queryable,
  id: string,
  holder: string,
  leaseMs: number,
): Promise<Batch | undefined> {
  return RENEW_BATCH.first(db, [id, holder, leaseMs]);
}

const RELEASE_BATCH = command(
  `update batch set leased_by = null, leased_until = null, run_after = now() + $3 * interval '1 millisecond'
    where id = $1 and leased_by = $2`,
);

export async function releaseBatch(db: Queryable, id: string, holder: string, afterMs: number): Promise<void> {
  await RELEASE_BATCH.run(db, [id, holder, afterMs]);
}

const WAITING_BATCH = statement(
  {},
  `select from batch where ${UNFINISHED_BATCH} and id <> $1 and (leased_until is null or leased_until < now())
      and (run_after is null or run_after <= now()) limit 1`,
);

export async function othersWait(db: Queryable, id: string): Promise<boolean> {
  const rows = await WAITING_BATCH.rows(db, [id]);
  return rows.length > 0;
}

const RELEASE_ALL = command(
  'update batch set leased_by = null, leased_until = null, run_after = null where leased_by is not null',
);

/** Call this only when no other process can be alive: an embedded database belongs to one process. */
export async function releaseAllBatches(db: Queryable): Promise<void> {
  await RELEASE_ALL.run(db);
}
