/** Files in the database: what a running batch reads is not purged, and lines that lie together are read together. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertBatch } from '../../src/batches/batch-rows.ts';
import { insertChunk, insertFile, purgeFiles } from '../../src/batches/file-rows.ts';
import { type LastChunk, StoredFiles } from '../../src/batches/files.ts';
import type { Background } from '../../src/platform/background.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

let temporary: TemporaryDatabase;
let db: Database;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  db = temporary.db;
  await db.query(
    `insert into account (id, name, rules, calendar, created_at, updated_at) values ('acme', 'Acme', '{}', '{}', now(), now())`,
  );
  const times = { createdAt: new Date(1_000), expiresAt: new Date(2_000) };
  const file = {
    id: 'file_1',
    accountId: 'acme',
    purpose: 'batch',
    name: 'a.jsonl',
    bytes: 9,
    batchId: null,
    ...times,
  };
  await insertFile(db, file, 'kept');
  await insertChunk(db, 'file_1', 0, Buffer.from('one\ntwo\n'));
  await insertChunk(db, 'file_1', 8, Buffer.from('x'));
});
afterAll(() => temporary.remove());

it('neighbouring lines cost one read of their chunk', async () => {
  let reads = 0;
  const query = (...asked: Parameters<Database['query']>) => {
    reads++;
    return db.query(...asked);
  };
  const counted = { query } as unknown as Database;
  const background = { every: () => undefined } as unknown as Background;
  const bounds = { filesPerAccount: 1, filesAccountBytes: 1 };
  const clock = { now: () => 0, monotonicMs: () => 0 };
  const files = new StoredFiles({
    db: counted,
    clock,
    randomBytes: (size: number) => Buffer.alloc(size),
    background,
    bounds,
  });
  const last: LastChunk = {};
  const text = async (from: number, bytes: number) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of files.read('file_1', from, bytes, last)) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  expect([await text(0, 3), await text(4, 3)]).toEqual(['one', 'two']);
  expect(reads).toBe(1);
  expect(await text(6, 3)).toBe('o\nx');
  expect(reads).toBe(2);
});

it('the input of a batch outlives its time as long as the batch runs', async () => {
  const times = { createdAt: new Date(1_000), expiresAt: new Date(9_000) };
  const order = { accountId: 'acme', keyId: 'k', dialect: 'openai', endpoint: '/v1/embeddings' } as const;
  const terms = { metadata: null, pricePercent: 100, keepSeconds: 60, inputFileId: 'file_1' };
  await insertBatch(db, { id: 'batch_1', ...order, ...terms, ...times });
  const left = async () => (await db.query('select id from stored_file')).length;
  await purgeFiles(db, new Date(3_000), new Date(0));
  expect(await left()).toBe(1);
  await db.query(`update batch set state = 'completed'`);
  await purgeFiles(db, new Date(3_000), new Date(0));
  expect(await left()).toBe(0);
});
