/** Batches in the database: what they are, who works on them, and how they ended. */
import type { Text } from '@dargah/core/text.ts';
import type { Json } from '../core/json.ts';
import {
  column,
  columnsOf,
  command,
  orNull,
  type Queryable,
  type RowOf,
  readAs,
  statement,
  statementFor,
} from '../platform/db/index.ts';
import type { BatchDialect } from './read-line.ts';

export type BatchState = 'validating' | 'in_progress' | 'cancelling' | 'completed' | 'failed' | 'expired' | 'cancelled';

export interface BatchError {
  code: string;
  line: number | null;
  message: Text;
  param: string | null;
}

export const batchRow = {
  id: column.text,
  accountId: column.text,
  keyId: column.text,
  dialect: column.textOf<BatchDialect>(),
  endpoint: column.text,
  inputFileId: column.text,
  metadata: orNull(column.jsonOf<Record<string, string>>()),
  pricePercent: column.int,
  state: column.textOf<BatchState>(),
  total: column.int,
  succeeded: column.int,
  failed: column.int,
  cancelled: column.int,
  expired: column.int,
  model: orNull(column.text),
  inputTokens: readAs('input_tokens::float8', column.float),
  cachedTokens: readAs('cached_tokens::float8', column.float),
  outputTokens: readAs('output_tokens::float8', column.float),
  reasoningTokens: readAs('reasoning_tokens::float8', column.float),
  /** Micro-toman. */
  cost: readAs('cost::text', column.text),
  errors: orNull(column.jsonOf<BatchError[]>()),
  outputFileId: orNull(column.text),
  errorFileId: orNull(column.text),
  keepSeconds: column.int,
  createdAt: column.timestamp,
  startedAt: orNull(column.timestamp),
  cancellingAt: orNull(column.timestamp),
  endedAt: orNull(column.timestamp),
  expiresAt: column.timestamp,
  /** When it and its results are deleted. */
  deleteAt: orNull(column.timestamp),
};
export type Batch = RowOf<typeof batchRow>;

export const BATCH_COLUMNS = columnsOf(batchRow);
export const UNFINISHED_BATCH = `state in ('validating', 'in_progress', 'cancelling')`;

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

const INSERT_BATCH = statement(
  batchRow,
  `insert into batch (id, account_id, key_id, dialect, endpoint, input_file_id, metadata, price_percent, state, keep_seconds,
                      created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, 'validating', $9, $10, $11) returning ${BATCH_COLUMNS}`,
);

export async function insertBatch(tx: Queryable, batch: NewBatch): Promise<Batch> {
  return INSERT_BATCH.only(tx, [
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
  ]);
}

const COUNT_UNFINISHED = statement(
  { count: column.float },
  `select count(*)::float8 as count from batch where account_id = $1 and ${UNFINISHED_BATCH}`,
);

export async function unfinishedOf(tx: Queryable, accountId: string): Promise<number> {
  const row = await COUNT_UNFINISHED.first(tx, [accountId]);
  return row?.count ?? 0;
}

const BATCH = statement(
  batchRow,
  `select ${BATCH_COLUMNS} from batch where id = $1 and account_id = $2 and ($3::text is null or dialect = $3)`,
);

export async function findBatch(
  db: Queryable,
  accountId: string,
  id: string,
  dialect?: BatchDialect,
): Promise<Batch | undefined> {
  return BATCH.first(db, [id, accountId, dialect ?? null]);
}

export interface BatchQuestion {
  dialect?: BatchDialect | undefined;
  /** Lists the newest of those that are older than this one. */
  after?: string | undefined;
  /** Lists the nearest of those that are newer than this one. */
  before?: string | undefined;
  limit: number;
}

const BATCHES_FROM = statementFor(
  batchRow,
  (backwards: boolean) =>
    `select ${BATCH_COLUMNS} from batch
      where account_id = $1 and ($2::text is null or dialect = $2)
        and ($3::text is null or (created_at, id) ${backwards ? '>' : '<'} (select created_at, id from batch where id = $3 and account_id = $1))
      order by created_at ${backwards ? 'asc' : 'desc'}, id ${backwards ? 'asc' : 'desc'} limit $4`,
  [true],
  [false],
);

/** Newest first. Returns one more than was asked for, so that the caller sees whether there are more. */
export async function selectBatches(
  db: Queryable,
  accountId: string,
  { dialect, after, before, limit }: BatchQuestion,
): Promise<Batch[]> {
  return BATCHES_FROM(before !== undefined).rows(db, [accountId, dialect ?? null, before ?? after ?? null, limit + 1]);
}

const BEGIN_CANCELLING = statement(
  batchRow,
  `update batch set state = 'cancelling', cancelling_at = coalesce(cancelling_at, $3), run_after = null
    where id = $1 and account_id = $2 and ${UNFINISHED_BATCH} returning ${BATCH_COLUMNS}`,
);

/** Returns undefined when there is nothing left to cancel. */
export async function beginCancelling(
  tx: Queryable,
  accountId: string,
  id: string,
  now: Date,
): Promise<Batch | undefined> {
  return BEGIN_CANCELLING.first(tx, [id, accountId, now]);
}

const BEGIN_RUNNING = statement(
  { id: column.text },
  `update batch set state = 'in_progress', started_at = $5, total = $3, model = $4
    where id = $1 and leased_by = $2 and state = 'validating' returning id`,
);

/** Returns false when it was cancelled meanwhile, or is no longer ours. */
export async function beginRunning(
  tx: Queryable,
  id: string,
  holder: string,
  total: number,
  model: string | null,
  now: Date,
): Promise<boolean> {
  const rows = await BEGIN_RUNNING.rows(tx, [id, holder, total, model, now]);
  return rows.length === 1;
}

export interface BatchEnd {
  state: BatchState;
  errors?: BatchError[];
  outputFileId?: string | null;
  errorFileId?: string | null;
  now: Date;
}

const END_BATCH = statement(
  { id: column.text },
  `update batch set state = $3, errors = $4, output_file_id = $5, error_file_id = $6, ended_at = $7,
          delete_at = $7::timestamptz + keep_seconds * interval '1 second', leased_by = null, leased_until = null,
          total = greatest(total, (select count(*) from batch_line l where l.batch_id = batch.id)),
          cancelled = (select count(*) from batch_line l where l.batch_id = batch.id and l.state = 'cancelled'),
          expired = (select count(*) from batch_line l where l.batch_id = batch.id and l.state = 'expired')
    where id = $1 and leased_by = $2 and ${UNFINISHED_BATCH} returning id`,
);

export async function endBatch(tx: Queryable, id: string, holder: string, end: BatchEnd): Promise<boolean> {
  const errors: Json = end.errors === undefined ? null : (end.errors as unknown as Json);
  const rows = await END_BATCH.rows(tx, [
    id,
    holder,
    end.state,
    errors === null ? null : JSON.stringify(errors),
    end.outputFileId ?? null,
    end.errorFileId ?? null,
    end.now,
  ]);
  return rows.length === 1;
}

const DELETE_BATCH = statement(
  { input: column.text, dialect: column.textOf<BatchDialect>() },
  `delete from batch where id = $1 and account_id = $2 and not (${UNFINISHED_BATCH})
    returning input_file_id as input, dialect`,
);
const DELETE_RESULTS = command('delete from stored_file where account_id = $1 and batch_id = $2');
const DELETE_INPUT = command('delete from stored_file where account_id = $1 and id = $2');

/** Deletes the batch with its lines and the files that only it needed. */
export async function deleteBatch(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const gone = await DELETE_BATCH.first(tx, [id, accountId]);
  if (!gone) return false;
  await DELETE_RESULTS.run(tx, [accountId, id]);
  if (gone.dialect === 'anthropic') await DELETE_INPUT.run(tx, [accountId, gone.input]);
  return true;
}

const BATCHES_PER_STATEMENT = 2;
const MAX_STATEMENTS = 100;

const PURGE_BATCHES = statement(
  { id: column.text },
  `delete from batch where id in (select id from batch where delete_at <= $1 limit ${BATCHES_PER_STATEMENT}) returning id`,
);

/** Deletes expired batches, a few at a time because their lines go with them. */
export async function purgeBatches(db: Queryable, now: Date): Promise<void> {
  for (let statement = 0; statement < MAX_STATEMENTS; statement++) {
    const gone = await PURGE_BATCHES.rows(db, [now]);
    if (gone.length < BATCHES_PER_STATEMENT) return;
  }
}
