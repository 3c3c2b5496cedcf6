/** Batches in the database: what they are, who works on them, and how they ended. */
import type { Text } from '@dargah/core/text.ts';
import type { Json } from '../core/json.ts';
import type { Queryable } from '../platform/db/index.ts';
import type { BatchDialect } from './read-line.ts';

export type BatchState = 'validating' | 'in_progress' | 'cancelling' | 'completed' | 'failed' | 'expired' | 'cancelled';

export interface BatchError {
  code: string;
  line: number | null;
  message: Text;
  param: string | null;
}

export interface Batch {
  id: string;
  accountId: string;
  keyId: string;
  dialect: BatchDialect;
  endpoint: string;
  inputFileId: string;
  metadata: Record<string, string> | null;
  pricePercent: number;
  state: BatchState;
  total: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  expired: number;
  model: string | null;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  /** Micro-toman. */
  cost: string;
  errors: BatchError[] | null;
  outputFileId: string | null;
  errorFileId: string | null;
  keepSeconds: number;
  createdAt: Date;
  startedAt: Date | null;
  cancellingAt: Date | null;
  endedAt: Date | null;
  expiresAt: Date;
  /** When it and its results are deleted. */
  deleteAt: Date | null;
}

const COLUMNS = `id, account_id as "accountId", key_id as "keyId", dialect, endpoint, input_file_id as "inputFileId", metadata,
  price_percent as "pricePercent", state, total, succeeded, failed, cancelled, expired, model,
  input_tokens::float8 as "inputTokens", cached_tokens::float8 as "cachedTokens", output_tokens::float8 as "outputTokens",
  reasoning_tokens::float8 as "reasoningTokens", cost::text as cost, errors, output_file_id as "outputFileId",
  error_file_id as "errorFileId", keep_seconds as "keepSeconds", created_at as "createdAt", started_at as "startedAt",
  cancelling_at as "cancellingAt", ended_at as "endedAt", expires_at as "expiresAt", delete_at as "deleteAt"`;
const UNFINISHED = `state in ('validating', 'in_progress', 'cancelling')`;

export type NewBatch = Pick<
  Batch,
  | 'id'
  | 'accountId'
  | 'keyId'
  | 'dialect'
  | 'endpoint'
  | 'inputFileId'
  | 'metadata'
  | 'pricePercent'
  | 'keepSeconds'
  | 'createdAt'
  | 'expiresAt'
>;

export async function insertBatch(tx: Queryable, batch: NewBatch): Promise<Batch> {
  const [row] = await tx.query<Batch>(
    `insert into batch (id, account_id, key_id, dialect, endpoint, input_file_id, metadata, price_percent, state, keep_seconds,
                        created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 'validating', $9, $10, $11) returning ${COLUMNS}`,
    [
      batch.id,
      batch.accountId,
      batch.keyId,
      batch.dialect,
      batch.endpoint,
      batch.inputFileId,
      batch.metadata === null ? null : JSON.stringify(batch.metadata),
      batch.pricePercent,
      batch.keepSeconds,
      batch.createdAt,
      batch.expiresAt,
    ],
  );
  return row as Batch;
}

export async function unfinishedOf(tx: Queryable, accountId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::float8 as count from batch where account_id = $1 and ${UNFINISHED}`,
    [accountId],
  );
  return row?.count ?? 0;
}

export async function findBatch(
  db: Queryable,
  accountId: string,
  id: string,
  dialect?: BatchDialect,
): Promise<Batch | undefined> {
  const [row] = await db.query<Batch>(
    `select ${COLUMNS} from batch where id = $1 and account_id = $2 and ($3::text is null or dialect = $3)`,
    [id, accountId, dialect ?? null],
  );
  return row;
}

export interface BatchQuestion {
  dialect?: BatchDialect | undefined;
  /** The newest of those that are older than this one. */
  after?: string | undefined;
  /** The nearest of those that are newer than this one. */
  before?: string | undefined;
  limit: number;
}

/** Newest first; one more than asked for, where there is one. */
export async function selectBatches(
  db: Queryable,
  accountId: string,
  { dialect, after, before, limit }: BatchQuestion,
): Promise<Batch[]> {
  const backwards = before !== undefined;
  const rows = await db.query<Batch>(
    `select ${COLUMNS} from batch
      where account_id = $1 and ($2::text is null or dialect = $2)
        and ($3::text is null or (created_at, id) ${backwards ? '>' : '<'} (select created_at, id from batch where id = $3 and account_id = $1))
      order by created_at ${backwards ? 'asc' : 'desc'}, id ${backwards ? 'asc' : 'desc'} limit $4`,
    [accountId, dialect ?? null, before ?? after ?? null, limit + 1],
  );
  return rows;
}

/** Undefined when there is nothing left to cancel. */
export async function beginCancelling(
  tx: Queryable,
  accountId: string,
  id: string,
  now: Date,
): Promise<Batch | undefined> {
  const [row] = await tx.query<Batch>(
    `update batch set state = 'cancelling', cancelling_at = coalesce(cancelling_at, $3), run_after = null
      where id = $1 and account_id = $2 and ${UNFINISHED} returning ${COLUMNS}`,
    [id, accountId, now],
  );
  return row;
}

/**
 * The next batch that nobody holds: who ran longest ago, and of each account one at a time, so that nobody's thousand batches stand
 * before another's one. Times of leases are the database's: the clocks of replicas differ.
 */
export async function leaseBatch(db: Queryable, holder: string, leaseMs: number): Promise<Batch | undefined> {
  // A look before the dear statement: it is asked every second and there is nearly never anything.
  if ((await db.query(`select 1 from batch where ${UNFINISHED} limit 1`)).length === 0) return undefined;
  const [row] = await db.query<Batch>(
    `update batch set leased_by = $1, leased_until = now() + $2 * interval '1 millisecond', last_turn_at = now()
      where id = (
        select id from batch b
         where ${UNFINISHED} and (leased_until is null or leased_until < now()) and (run_after is null or run_after <= now())
           and not exists (select from batch o where o.account_id = b.account_id and o.leased_until >= now() and o.id <> b.id)
         order by last_turn_at nulls first, created_at limit 1 for update skip locked)
      returning ${COLUMNS}`,
    [holder, leaseMs],
  );
  return row;
}

/** How the batch stands now; undefined when it is no longer ours. */
export async function renewBatch(
  db: Queryable,
  id: string,
  holder: string,
  leaseMs: number,
): Promise<Batch | undefined> {
  const [row] = await db.query<Batch>(
    `update batch set leased_until = now() + $3 * interval '1 millisecond' where id = $1 and leased_by = $2 returning ${COLUMNS}`,
    [id, holder, leaseMs],
  );
  return row;
}

export async function releaseBatch(db: Queryable, id: string, holder: string, afterMs: number): Promise<void> {
  await db.query(
    `update batch set leased_by = null, leased_until = null, run_after = now() + $3 * interval '1 millisecond'
      where id = $1 and leased_by = $2`,
    [id, holder, afterMs],
  );
}

export async function othersWait(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 from batch where ${UNFINISHED} and id <> $1 and (leased_until is null or leased_until < now())
        and (run_after is null or run_after <= now()) limit 1`,
    [id],
  );
  return rows.length > 0;
}

/** To be called only when no other process can be alive: an embedded database belongs to one process. */
export async function releaseAllBatches(db: Queryable): Promise<void> {
  await db.query(
    'update batch set leased_by = null, leased_until = null, run_after = null where leased_by is not null',
  );
}

/** False: it was cancelled meanwhile, or is no longer ours. */
export async function beginRunning(
  tx: Queryable,
  id: string,
  holder: string,
  total: number,
  model: string | null,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(
    `update batch set state = 'in_progress', started_at = $5, total = $3, model = $4
      where id = $1 and leased_by = $2 and state = 'validating' returning 1`,
    [id, holder, total, model, now],
  );
  return rows.length === 1;
}

export interface BatchEnd {
  state: BatchState;
  errors?: BatchError[];
  outputFileId?: string | null;
  errorFileId?: string | null;
  now: Date;
}

export async function endBatch(tx: Queryable, id: string, holder: string, end: BatchEnd): Promise<boolean> {
  const errors: Json = end.errors === undefined ? null : (end.errors as unknown as Json);
  const rows = await tx.query(
    `update batch set state = $3, errors = $4, output_file_id = $5, error_file_id = $6, ended_at = $7,
            delete_at = $7::timestamptz + keep_seconds * interval '1 second', leased_by = null, leased_until = null,
            total = greatest(total, (select count(*) from batch_line l where l.batch_id = batch.id)),
            cancelled = (select count(*) from batch_line l where l.batch_id = batch.id and l.state = 'cancelled'),
            expired = (select count(*) from batch_line l where l.batch_id = batch.id and l.state = 'expired')
      where id = $1 and leased_by = $2 and ${UNFINISHED} returning 1`,
    [
      id,
      holder,
      end.state,
      errors === null ? null : JSON.stringify(errors),
      end.outputFileId ?? null,
      end.errorFileId ?? null,
      end.now,
    ],
  );
  return rows.length === 1;
}

/** With their lines, and the files that only they needed. */
export async function deleteBatch(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const [gone] = await tx.query<{ input: string; dialect: BatchDialect }>(
    `delete from batch where id = $1 and account_id = $2 and not (${UNFINISHED})
      returning input_file_id as input, dialect`,
    [id, accountId],
  );
  if (!gone) return false;
  await tx.query('delete from stored_file where account_id = $1 and batch_id = $2', [accountId, id]);
  if (gone.dialect === 'anthropic')
    await tx.query('delete from stored_file where account_id = $1 and id = $2', [accountId, gone.input]);
  return true;
}

const BATCHES_PER_STATEMENT = 2;
const MAX_STATEMENTS = 100;

/** Their time is over. Lines go with their batch, so few at a time. */
export async function purgeBatches(db: Queryable, now: Date): Promise<void> {
  for (let statement = 0; statement < MAX_STATEMENTS; statement++) {
    const gone = await db.query(
      `delete from batch where id in (select id from batch where delete_at <= $1 limit ${BATCHES_PER_STATEMENT}) returning id`,
      [now],
    );
    if (gone.length < BATCHES_PER_STATEMENT) return;
  }
}
