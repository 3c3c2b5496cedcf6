/**
 * Uploads wait on disk, not in memory, while a provider is found that takes them: a file may have to be sent again to the next
 * route. Every file is removed when its request ends; what a killed process left is removed at the next start.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Enough for every audio header, and for the last page of an Ogg file. */
const END_BYTES = 64 * 1024;

export class UploadTooLarge extends Error {}
/** All uploads together have used up their room on disk. */
export class UploadsFull extends Error {}

export interface UploadedFile {
  readonly size: number;
  /** SHA-256, hexadecimal. */
  readonly digest: string;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** From the start, as often as wanted. The file is opened when reading begins and closed when it stops. */
  read(): AsyncIterable<Uint8Array>;
  /** Harmless when called twice. */
  remove(): Promise<void>;
}

export interface UploadFiles {
  /** Writes the source to disk; when it fails or is too large, nothing is left behind. */
  receive(source: AsyncIterable<Uint8Array>, limitBytes: number): Promise<UploadedFile>;
}

export async function openUploadFiles(options: { folder: string; maxTotalBytes: number }): Promise<UploadFiles> {
  const { folder, maxTotalBytes } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const left of await readdir(folder)) await rm(join(folder, left), { force: true });
  let totalBytes = 0;

  return {
    async receive(source, limitBytes) {
      const path = join(folder, randomUUID());
      const file = await open(path, 'wx', 0o600);
      let written = 0;
      const remove = async () => {
        totalBytes -= written;
        written = 0;
        await rm(path, { force: true });
      };
      const ends = new Ends();
      try {
        for await (const chunk of source) {
          if (written + chunk.length > limitBytes) throw new UploadTooLarge(`more than ${limitBytes} bytes`);
          if (totalBytes + chunk.length > maxTotalBytes) throw new UploadsFull(`more than ${maxTotalBytes} bytes`);
          written += chunk.length;
          totalBytes += chunk.length;
          ends.see(chunk);
          await writeAll(file, chunk);
        }
        await file.close();
      } catch (error) {
        await file.close().catch(() => undefined);
        await remove();
        throw error;
      }
      return { size: written, ...ends.result(), read: () => readFrom(path), remove };
    },
  };
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

async function* readFrom(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: END_BYTES });
}

/** Collects digest, first and last bytes while the file is written. */
class Ends {
  readonly #hash = createHash('sha256');
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);

  see(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    if (this.#head.length < END_BYTES)
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, END_BYTES - this.#head.length)]);
    this.#tail =
      chunk.length >= END_BYTES
        ? Buffer.from(chunk.subarray(-END_BYTES))
        : Buffer.concat([this.#tail.subarray(-(END_BYTES - chunk.length)), chunk]);
  }

  result(): { digest: string; head: Uint8Array; tail: Uint8Array } {
    return { digest: this.#hash.digest('hex'), head: this.#head, tail: this.#tail };
  }
}
