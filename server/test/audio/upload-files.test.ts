import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openUploadFiles, UploadsFull, UploadTooLarge } from '../../src/platform/upload-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'uploads-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function* bytes(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it('gives the same bytes as often as asked, and its ends', async () => {
  const uploads = await openUploadFiles({ folder, maxTotalBytes: 1000 });
  const file = await uploads.receive(bytes('hello ', 'there'), 100);
  expect(file).toMatchObject({ size: 11, head: Buffer.from('hello there'), tail: Buffer.from('hello there') });
  expect([await textOf(file.read()), await textOf(file.read())]).toEqual(['hello there', 'hello there']);
  const [name = ''] = await readdir(folder);
  // What customers upload is nobody else's to read.
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  await file.remove();
  await file.remove();
  expect(await readdir(folder)).toEqual([]);
});

it('keeps the first and the last bytes of a long file', async () => {
  const uploads = await openUploadFiles({ folder, maxTotalBytes: 1_000_000 });
  const pieces = Array.from({ length: 30 }, (_, i) => String.fromCharCode(97 + (i % 26)).repeat(7_000));
  const whole = Buffer.from(pieces.join(''));
  const file = await uploads.receive(bytes(...pieces), 1_000_000);
  expect(Buffer.from(file.head).equals(whole.subarray(0, 65_536))).toBe(true);
  expect(Buffer.from(file.tail).equals(whole.subarray(-65_536))).toBe(true);
});

it('bounds one file and all files together, and gives room back', async () => {
  const uploads = await openUploadFiles({ folder, maxTotalBytes: 10 });
  await expect(uploads.receive(bytes('12345', '6789'), 8)).rejects.toThrow(UploadTooLarge);
  const first = await uploads.receive(bytes('12345678'), 8);
  await expect(uploads.receive(bytes('12', '3'), 8)).rejects.toThrow(UploadsFull);
  await first.remove();
  await (await uploads.receive(bytes('12345678'), 8)).remove();
  expect(await readdir(folder)).toEqual([]);
});

it('leaves nothing of a source that fails', async () => {
  const uploads = await openUploadFiles({ folder, maxTotalBytes: 10 });
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('123456');
    throw new Error('gone');
  }
  await expect(uploads.receive(broken(), 10)).rejects.toThrow('gone');
  expect(await readdir(folder)).toEqual([]);
  await (await uploads.receive(bytes('1234567890'), 10)).remove();
});

it('removes at its start what a killed process left', async () => {
  await writeFile(join(folder, 'left'), 'x');
  await openUploadFiles({ folder, maxTotalBytes: 10 });
  expect(await readdir(folder)).toEqual([]);
});
