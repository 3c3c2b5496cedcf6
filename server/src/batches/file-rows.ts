/** Files and their chunks in the database. */
import { inBatches, type Queryable, ROWS_PER_STATEMENT } from '../platform/db/index.ts';

export interface StoredFile {
  id: string;
  accountId: string;
  purpose: string;
  name: string;
  bytes: number;
  /** Its content are the results of this batch. */
  batchId: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Of message batches: their input and results have no address of their own. */
export const HIDDEN_INPUT = 'message_batch';
export const HIDDEN_RESULTS = 'message_batch_results';
export const OUTPUT_PURPOSE = 'batch_output';
export const INPUT_PURPOSE = 'batch';
const HIDDEN = [HIDDEN_INPUT, HIDDEN_RESULTS];

const COLUMNS = `id, account_id as "accountId", purpose, name, bytes::float8 as bytes, batch_id as "batchId",
  created_at as "createdAt", expires_at as "expiresAt"`;

export async function insertFile(tx: Queryable, file: StoredFile, state: 'writing' | 'kept'): Promise<void> {
  await tx.query(
    `insert into stored_file (id, account_id, purpose, name, bytes, state, batch_id, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [file.id, file.accountId, file.purpose, file.name, file.bytes, state, file.batchId, file.createdAt, file.expiresAt],
  );
}

/** How much the account has, files that are being written included. */
export async function filesOf(tx: Queryable, accountId: string): Promise<{ count: number; bytes: number }> {
  const [row] = await tx.query<{ count: number; bytes: number }>(
    'select count(*)::float8 as count, coalesce(sum(bytes), 0)::float8 as bytes from stored_file where account_id = $1',
    [accountId],
  );
  return row ?? { count: 0, bytes: 0 };
}

export async function insertChunk(db: Queryable, fileId: string, position: number, data: Buffer): Promise<void> {
  await db.query('insert into stored_file_chunk (file_id, position, data) values ($1, $2, $3)', [
    fileId,
    position,
    data,
  ]);
}

/** False when it was deleted while it was written. */
export async function keepFile(db: Queryable, id: string, bytes: number): Promise<boolean> {
  const rows = await db.query(`update stored_file set state = 'kept', bytes = $2 where id = $1 returning 1`, [
    id,
    bytes,
  ]);
  return rows.length === 1;
}

export async function findFile(
  db: Queryable,
  accountId: string,
  id: string,
  now: Date,
): Promise<StoredFile | undefined> {
  const [row] = await db.query<StoredFile>(
    `select ${COLUMNS} from stored_file
      where id = $1 and account_id = $2 and state = 'kept' and expires_at > $3 and purpose <> all($4)`,
    [id, accountId, now, HIDDEN],
  );
  return row;
}

/** Also of those without an address of their own. */
export async function isKept(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const rows = await db.query(`select 1 from stored_file where id = $1 and account_id = $2 and state = 'kept'`, [
    id,
    accountId,
  ]);
  return rows.length === 1;
}

export interface FileQuestion {
  purpose: string | undefined;
  order: 'asc' | 'desc';
  after: string | undefined;
  limit: number;
}

/** One more than asked for, where there is one. Ids grow with time. */
export async function selectFiles(
  db: Queryable,
  accountId: string,
  { purpose, order, after, limit }: FileQuestion,
  now: Date,
): Promise<StoredFile[]> {
  const further = order === 'asc' ? '>' : '<';
  return db.query<StoredFile>(
    `select ${COLUMNS} from stored_file
      where account_id = $1 and state = 'kept' and expires_at > $2 and purpose <> all($3)
        and ($4::text is null or purpose = $4)
        and ($5::text is null or (created_at, id) ${further} (select created_at, id from stored_file where id = $5 and account_id = $1))
      order by created_at ${order}, id ${order} limit $6`,
    [accountId, now, HIDDEN, purpose ?? null, after ?? null, limit + 1],
  );
}

/** What it held goes with it; of results of a batch, the answers themselves. */
export async function dropFile(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const [gone] = await tx.query<{ batchId: string | null; purpose: string }>(
    'delete from stored_file where id = $1 and account_id = $2 returning batch_id as "batchId", purpose',
    [id, accountId],
  );
  if (gone?.batchId)
    await tx.query('update batch_line set body = null where batch_id = $1 and (state = $2) = $3', [
      gone.batchId,
      'succeeded',
      gone.purpose === OUTPUT_PURPOSE,
    ]);
  return gone !== undefined;
}

export interface FileChunk {
  position: number;
  data: Uint8Array;
}

/** The chunk that holds this byte, and where it begins. */
export async function chunkAt(db: Queryable, fileId: string, position: number): Promise<FileChunk | undefined> {
  const [row] = await db.query<FileChunk>(
    `select position::float8 as position, data from stored_file_chunk
      where file_id = $1 and position <= $2 order by position desc limit 1`,
    [fileId, position],
  );
  return row;
}

/** Chunks go with their file, so few at a time. */
const FILES_PER_STATEMENT = 5;
const MAX_STATEMENTS = 200;

/** Expired ones, and those whose writing broke off. A batch that runs still reads its input. */
export async function purgeFiles(db: Queryable, now: Date, begunBefore: Date): Promise<void> {
  for (let statement = 0; statement < MAX_STATEMENTS; statement++) {
    const gone = await db.query(
      `delete from stored_file where id in (
         select id from stored_file f
          where (expires_at <= $1 or (state = 'writing' and created_at < $2))
            and not exists (select from batch b where b.account_id = f.account_id and b.input_file_id = f.id
                               and b.state in ('validating', 'in_progress', 'cancelling'))
          limit ${FILES_PER_STATEMENT}) returning id`,
      [now, begunBefore],
    );
    if (gone.length < FILES_PER_STATEMENT) return;
  }
}

/** Of an account that was closed. */
export async function forgetFiles(db: Queryable, accountId: string): Promise<void> {
  for (const table of ['batch', 'stored_file'])
    await inBatches(() =>
      db.query(
        `delete from ${table} where id in (select id from ${table} where account_id = $1 limit ${ROWS_PER_STATEMENT}) returning id`,
        [accountId],
      ),
    );
}
