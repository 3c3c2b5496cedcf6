/** Files of customers: written and read in chunks, never held whole, bounded per account, gone when they expire. */
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Background } from '../platform/background.ts';
import { type Database, lockUntilCommit } from '../platform/db/index.ts';
import {
  chunkAt,
  dropFile,
  type FileChunk,
  type FileQuestion,
  filesOf,
  findFile,
  insertChunk,
  insertFile,
  keepFile,
  purgeFiles,
  RUNNING_WITH_INPUT,
  type StoredFile,
  selectFiles,
} from './file-rows.ts';
import { batchReasons } from './reasons.ts';

const CHUNK_BYTES = 512 * 1_024;
const PURGE_MS = 60_000;
/** A write that takes longer than this belongs to a dead process. */
const WRITING_MS = 3_600_000;

export interface FileBounds {
  filesPerAccount: number;
  filesAccountBytes: number;
}

export interface StoredFilesOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  background: Background;
  bounds: FileBounds;
}

export interface NewFile {
  accountId: string;
  purpose: string;
  name: string;
  keepSeconds: number;
  /** The size where it is known before writing, otherwise the most that it can be. */
  bytes: number;
}

/** The chunk of a file that was read last, so that a reader who goes on from there does not read it again. */
export interface LastChunk {
  chunk?: FileChunk | undefined;
}

export class StoredFiles {
  readonly #options: StoredFilesOptions;

  constructor(options: StoredFilesOptions) {
    this.#options = options;
    const { background, db, clock } = options;
    background.every(PURGE_MS, 'stored files', () =>
      purgeFiles(db, new Date(clock.now()), new Date(clock.now() - WRITING_MS)),
    );
  }

  /** Deletes the file again when its content breaks off. */
  async create(asked: NewFile, content: AsyncIterable<Uint8Array>): Promise<StoredFile> {
    const { db, clock, randomBytes } = this.#options;
    const now = clock.now();
    const { keepSeconds, ...file } = asked;
    const id = makeId('file', now, randomBytes);
    const expiresAt = new Date(now + keepSeconds * 1_000);
    const row: StoredFile = { ...file, id, batchId: null, createdAt: new Date(now), expiresAt };
    await db.transaction(async (tx) => {
      await lockUntilCommit(tx, `files:${file.accountId}`);
      await this.#checkRoom(tx, file.accountId, file.bytes);
      await insertFile(tx, row, 'writing');
    });
    try {
      row.bytes = await this.#write(id, content);
      if (row.bytes === 0) throw invalidRequest('file', batchReasons.emptyFile);
      if (!(await keepFile(db, id, row.bytes))) throw new GatewayError('not_found');
      return row;
    } catch (error) {
      await dropFile(db, file.accountId, id);
      throw error;
    }
  }

  async find(accountId: string, id: string): Promise<StoredFile | undefined> {
    return findFile(this.#options.db, accountId, id, new Date(this.#options.clock.now()));
  }

  async list(accountId: string, question: FileQuestion): Promise<{ files: StoredFile[]; more: boolean }> {
    const found = await selectFiles(this.#options.db, accountId, question, new Date(this.#options.clock.now()));
    return { files: found.slice(0, question.limit), more: found.length > question.limit };
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    return this.#options.db.transaction(async (tx) => {
      const used = await RUNNING_WITH_INPUT.first(tx, [id, accountId]);
      if (used) throw new GatewayError('conflict', { reason: batchReasons.fileInUse });
      return dropFile(tx, accountId, id);
    });
  }

  /** Reads from a byte on, chunk by chunk, so that a slow reader holds no connection. */
  async *read(
    fileId: string,
    from = 0,
    bytes = Number.POSITIVE_INFINITY,
    last: LastChunk = {},
  ): AsyncGenerator<Uint8Array> {
    let at = from;
    const end = from + bytes;
    while (at < end) {
      const chunk = holds(last.chunk, at) ? last.chunk : await chunkAt(this.#options.db, fileId, at);
      last.chunk = chunk;
      const within = chunk ? at - chunk.position : 0;
      if (!chunk || within >= chunk.data.length) return;
      const part = chunk.data.subarray(within, Math.min(chunk.data.length, end - chunk.position));
      at += part.length;
      yield part;
    }
  }

  async #checkRoom(tx: Parameters<typeof filesOf>[0], accountId: string, more: number): Promise<void> {
    const { filesPerAccount, filesAccountBytes } = this.#options.bounds;
    const { count, bytes } = await filesOf(tx, accountId);
    const detail = (limit: string, value: number) => ({ detail: { limit, limit_value: value } });
    if (count >= filesPerAccount)
      throw invalidRequest('file', batchReasons.tooManyFiles(filesPerAccount), detail('files', filesPerAccount));
    if (bytes + more > filesAccountBytes)
      throw invalidRequest(
        'file',
        batchReasons.noRoomForFiles(filesAccountBytes),
        detail('files_bytes', filesAccountBytes),
      );
  }

  async #write(id: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    const { db } = this.#options;
    let position = 0;
    let waiting: Uint8Array[] = [];
    let size = 0;
    const flush = async () => {
      if (size === 0) return;
      await insertChunk(db, id, position, Buffer.concat(waiting));
      position += size;
      waiting = [];
      size = 0;
    };
    for await (const piece of content) {
      waiting.push(piece);
      size += piece.length;
      if (size >= CHUNK_BYTES) await flush();
    }
    await flush();
    return position;
  }
}

function holds(chunk: FileChunk | undefined, at: number): chunk is FileChunk {
  return chunk !== undefined && at >= chunk.position && at < chunk.position + chunk.data.length;
}
