/** One file of the journal: appended to by one process, synced in the background, deleted when nothing in it is needed. */
import { closeSync, fdatasync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FILE_NAME = /^(\d{8})\.journal$/;

export interface Segment {
  readonly number: number;
  /** Closed records in the segment that are not in the database yet. */
  unposted: number;
  /** Closed records in the segment that are in the database: always the oldest ones. */
  posted: number;
  /** Requests that were opened in the segment and are still running. */
  running: number;
}

export interface SegmentWriter extends Segment {
  /** Appends everything or nothing: when the disk accepts less, the file is cut back and an error is thrown. */
  append(bytes: Buffer): void;
  size(): number;
  /** Resolves when everything appended before the call is on disk. */
  sync(): Promise<void>;
  close(): void;
}

export function segmentPath(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(8, '0')}.journal`);
}

export function segmentNumber(fileName: string): number | undefined {
  const digits = FILE_NAME.exec(fileName)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function deleteSegment(folder: string, number: number): void {
  unlinkSync(segmentPath(folder, number));
}

export function createSegment(folder: string, number: number): SegmentWriter {
  // `wx` refuses an existing file, because overwriting a journal would lose charges.
  const fd = openSync(segmentPath(folder, number), 'wx', 0o600);
  let length = 0;
  let syncing: Promise<void> | undefined;
  let named: Promise<void> | undefined;

  return {
    number,
    unposted: 0,
    posted: 0,
    running: 0,
    append(bytes) {
      try {
        for (let done = 0; done < bytes.length; )
          done += writeSync(fd, bytes, done, bytes.length - done, length + done);
      } catch (error) {
        // A full disk may have written a part. It is cut off, so that the next line does not follow half a line.
        ftruncateSync(fd, length);
        throw error;
      }
      length += bytes.length;
    },
    size: () => length,
    sync() {
      syncing = (syncing ?? Promise.resolve())
        .catch(() => {})
        .then(() => dataSync(fd))
        .then(() => {
          // The file's name must be on disk too, or a power cut could take the whole file; once is enough.
          named ??= syncFolder(folder).catch((error: unknown) => {
            named = undefined;
            throw error;
          });
          return named;
        });
      return syncing;
    },
    close() {
      closeSync(fd);
    },
  };
}

const dataSync = promisify(fdatasync);

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
