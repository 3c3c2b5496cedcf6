/** Statements on files and their chunks. */
import {
  column,
  columnsOf,
  command,
  inBatches,
  orNull,
  type Queryable,
  ROWS_PER_STATEMENT,
  type RowOf,
  readAs,
  statement,
  statementFor,
} from '../platform/db/index.ts';

const fileRow = {
  id: column.text,
  accountId: column.text,
  purpose: column.text,
  name: column.text,
  bytes: readAs('bytes::float8', column.float),
  /** Set when the content of the file is the results of this batch. */
  batchId: orNull(column.text),
  createdAt: column.timestamp,
  expiresAt: column.timestamp,
};
export type StoredFile = RowOf<typeof fileRow>;

/** The purpose of files of message batches: their input and results have no address of their own. */
export const HIDDEN_INPUT = 'message_batch';
export const HIDDEN_RESULTS = 'message_batch_results';
export const OUTPUT_PURPOSE = 'batch_output';
export const INPUT_PURPOSE = 'batch';
const HIDDEN = [HIDDEN_INPUT, HIDDEN_RESULTS];

const COLUMNS = columnsOf(fileRow);

const INSERT_FILE = command(
  `insert into stored_file (id, account_id, purpose, name, bytes, state, batch_id, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

export async function insertFile(tx: Queryable, file: StoredFile, state: 'writing' | 'kept'): Promise<void> {
  await INSERT_FILE.run(tx, [
    file.id,
    file.accountId,
    file.purpose,
    file.name,
    file.bytes,
    state,
    file.batchId,
    file.createdAt,
    file.expiresAt,
  ]);
}

const ROOM_TAKEN = statement(
  { count: column.float, bytes: column.float },
  'select count(*)::float8 as count, coalesce(sum(bytes), 0)::float8 as bytes from stored_file where account_id = $1',
);

/** How much the account stores, including files that are being written. */
export async function filesOf(tx: Queryable, accountId: string): Promise<{ count: number; bytes: number }> {
  const row = await ROOM_TAKEN.first(tx, [accountId]);
  return row ?? { count: 0, bytes: 0 };
}

const INSERT_CHUNK = command('insert into stored_file_chunk (file_id, position, data) values ($1, $2, $3)');

export async function insertChunk(db: Queryable, fileId: string, position: number, data: Buffer): Promise<void> {
  await INSERT_CHUNK.run(db, [fileId, position, data]);
}

const KEEP_FILE = statement(
  { id: column.text },
  `update stored_file set state = 'kept', bytes = $2 where id = $1 returning id`,
);

/** Returns false when the file was deleted while it was written. */
export async function keepFile(db: Queryable, id: string, bytes: number): Promise<boolean> {
  const rows = await KEEP_FILE.rows(db, [id, bytes]);
  return rows.length === 1;
}

const FILE = statement(
  fileRow,
  `select ${COLUMNS} from stored_file
    where id = $1 and account_id = $2 and state = 'kept' and expires_at > $3 and purpose <> all($4)`,
);

export async function findFile(
  db: Queryable,
  accountId: string,
  id: string,
  now: Date,
): Promise<StoredFile | undefined> {
  return FILE.first(db, [id, accountId, now, HIDDEN]);
}

const KEPT_FILE = statement({}, `select from stored_file where id = $1 and account_id = $2 and state = 'kept'`);

/** Also true for files without an address of their own. */
export async function isKept(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const rows = await KEPT_FILE.rows(db, [id, accountId]);
  return rows.length === 1;
}

export interface FileQuestion {
  purpose: string | undefined;
  order: 'asc' | 'desc';
  after: string | undefined;
  limit: number;
}

const FILES_FROM = statementFor(
  fileRow,
  (order: FileQuestion['order']) =>
    `select ${COLUMNS} from stored_file
      where account_id = $1 and state = 'kept' and expires_at > $2 and purpose <> all($3)
        and ($4::text is null or purpose = $4)
        and ($5::text is null or (created_at, id) ${order === 'asc' ? '>' : '<'} (select created_at, id from stored_file where id = $5 and account_id = $1))
      order by created_at ${order}, id ${order} limit $6`,
  ['asc'],
  ['desc'],
);

/** Returns one more than was asked for, so that the caller sees whether there are more. Ids grow with time. */
export async function selectFiles(
  db: Queryable,
  accountId: string,
  { purpose, order, after, limit }: FileQuestion,
  now: Date,
): Promise<StoredFile[]> {
  return FILES_FROM(order).rows(db, [accountId, now, HIDDEN, purpose ?? null, after ?? null, limit + 1]);
}

const DELETE_FILE = statement(
  { batchId: orNull(column.text), purpose: column.text },
  'delete from stored_file where id = $1 and account_id = $2 returning batch_id as "batchId", purpose',
);
const DROP_ANSWERS = command('update batch_line set body = null where batch_id = $1 and (state = $2) = $3');

/** Deletes a file with its content; for results of a batch that includes the answers themselves. */
export async function dropFile(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const gone = await DELETE_FILE.first(tx, [id, accountId]);
  if (gone?.batchId) await DROP_ANSWERS.run(tx, [gone.batchId, 'succeeded', gone.purpose === OUTPUT_PURPOSE]);
  return gone !== undefined;
}

const chunkRow = {
  position: readAs('position::float8', column.float),
  data: column.bytes,
};
export type FileChunk = RowOf<typeof chunkRow>;

const CHUNK_AT = statement(
  chunkRow,
  `select ${columnsOf(chunkRow)} from stored_file_chunk
    where file_id = $1 and position <= $2 order by position desc limit 1`,
);

/** The chunk that holds this byte, with its position. */
export async function chunkAt(db: Queryable, fileId: string, position: number): Promise<FileChunk | undefined> {
  return CHUNK_AT.first(db, [fileId, position]);
}

/** Few at a time, because chunks are deleted with their file. */
const FILES_PER_STATEMENT = 5;
const MAX_STATEMENTS = 200;

const PURGE_FILES = statement(
  { id: column.text },
  `delete from stored_file where id in (
     select id from stored_file f
      where (expires_at <= $1 or (state = 'writing' and created_at < $2))
        and not exists (select from batch b where b.account_id = f.account_id and b.input_file_id = f.id
                           and b.state in ('validating', 'in_progress', 'cancelling'))
      limit ${FILES_PER_STATEMENT}) returning id`,
);

/** Deletes files that expired and files whose writing broke off, except the input of a running batch. */
export async function purgeFiles(db: Queryable, now: Date, begunBefore: Date): Promise<void> {
  for (let statement = 0; statement < MAX_STATEMENTS; statement++) {
    const gone = await PURGE_FILES.rows(db, [now, begunBefore]);
    if (gone.length < FILES_PER_STATEMENT) return;
  }
}

const FORGET_OF_ACCOUNT = statementFor(
  { id: column.text },
  (table: 'batch' | 'stored_file') =>
    `delete from ${table} where id in (select id from ${table} where account_id = $1 limit ${ROWS_PER_STATEMENT}) returning id`,
  ['batch'],
  ['stored_file'],
);

/** Deletes all files of an account that was closed. */
export async function forgetFiles(db: Queryable, accountId: string): Promise<void> {
  for (const table of ['batch', 'stored_file'] as const)
    await inBatches(() => FORGET_OF_ACCOUNT(table).rows(db, [accountId]));
}

/** A batch that still reads this file. */
export const RUNNING_WITH_INPUT = statement(
  {},
  `select from batch
    where account_id = $2 and input_file_id = $1 and state in ('validating', 'in_progress', 'cancelling') limit 1`,
);
