/**
 * The directory of a packed file, read before anything is unpacked: a few kilobytes can unpack to gigabytes, and
 * libraries trust the sizes in the file. Here each entry is unpacked once against a hard limit.
 */
import { inflateRawSync } from 'node:zlib';
import { Unreadable } from './blocks.ts';
import { unreadableReasons } from './reasons.ts';

interface Entry {
  name: string;
  method: number;
  packed: Uint8Array;
  statedBytes: number;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const MAX_ENTRIES = 5_000;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

export function entryNames(bytes: Uint8Array): string[] {
  return readEntries(bytes).map(({ name }) => name);
}

/** Throws when the whole would unpack to more than `limit` bytes, whatever the file claims. */
export function checkUnpackedSize(bytes: Uint8Array, limit: number): void {
  const entries = readEntries(bytes);
  if (entries.reduce((sum, { statedBytes }) => sum + statedBytes, 0) > limit)
    throw new Unreadable(unreadableReasons.unpackedTooLarge);
  let left = limit;
  for (const { method, packed } of entries) {
    if (method === STORED) left -= packed.length;
    else left -= unpackedLength(packed, left);
    if (left < 0) throw new Unreadable(unreadableReasons.unpackedTooLarge);
  }
}

/** A packed file whose parts are read one by one. */
export interface Archive {
  /**
   * Undefined where there is no such part. Everything that is read together stays within the limit, however often a
   * part is named.
   */
  text(name: string): string | undefined;
}

export function openArchive(bytes: Uint8Array, limit: number): Archive {
  checkUnpackedSize(bytes, limit);
  const entries = new Map(readEntries(bytes).map((entry) => [entry.name, entry]));
  let left = limit;
  return {
    text(name) {
      const entry = entries.get(name);
      if (!entry) return undefined;
      const content = entry.method === STORED ? entry.packed : unpack(entry.packed, left);
      left -= content.length;
      if (left < 0) throw new Unreadable(unreadableReasons.unpackedTooLarge);
      return new TextDecoder('utf-8').decode(content);
    },
  };
}

function unpackedLength(packed: Uint8Array, limit: number): number {
  return unpack(packed, limit).length;
}

function unpack(packed: Uint8Array, limit: number): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, limit) });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new Unreadable(unreadableReasons.unpackedTooLarge);
    throw new Unreadable(unreadableReasons.broken, error);
  }
}

function readEntries(bytes: Uint8Array): Entry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const end = findEnd(view);
    const count = view.getUint16(end + 10, true);
    if (count > MAX_ENTRIES) throw new Unreadable(unreadableReasons.unpackedTooLarge);
    const entries: Entry[] = [];
    let at = view.getUint32(end + 16, true);
    for (let i = 0; i < count; i++) {
      const { entry, next } = readEntry(bytes, view, at);
      entries.push(entry);
      at = next;
    }
    return entries;
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable(unreadableReasons.broken, error);
  }
}

function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = view.byteLength - END_BYTES; at >= first; at--) {
    if (view.getUint32(at, true) === END) return at;
  }
  throw new Unreadable(unreadableReasons.broken);
}

function readEntry(bytes: Uint8Array, view: DataView, at: number): { entry: Entry; next: number } {
  if (view.getUint32(at, true) !== CENTRAL) throw new Unreadable(unreadableReasons.broken);
  if (view.getUint16(at + 8, true) & ENCRYPTED) throw new Unreadable(unreadableReasons.locked);
  const method = view.getUint16(at + 10, true);
  if (method !== STORED && method !== DEFLATED) throw new Unreadable(unreadableReasons.broken);
  const packedBytes = view.getUint32(at + 20, true);
  const statedBytes = view.getUint32(at + 24, true);
  const nameLength = view.getUint16(at + 28, true);
  const next = at + 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  const name = Buffer.from(bytes.subarray(at + 46, at + 46 + nameLength)).toString('utf8');
  const local = view.getUint32(at + 42, true);
  // The lengths of name and extra field are repeated before the data and may differ there.
  const data = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  if (data + packedBytes > bytes.length) throw new Unreadable(unreadableReasons.broken);
  return { entry: { name, method, packed: bytes.subarray(data, data + packedBytes), statedBytes }, next };
}
