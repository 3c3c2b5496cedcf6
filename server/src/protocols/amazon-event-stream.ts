/**
 * Amazon's framing of streams (`application/vnd.amazon.eventstream`): lengths, their checksum, headers, a payload, and a checksum of
 * it all, in binary. It takes bytes in any pieces and gives messages; one whose checksum is wrong ends the stream.
 */
export const EVENT_STREAM_TYPE = 'application/vnd.amazon.eventstream';

/** Only headers of type text are kept, because no other type says anything about a model's answer. */
export interface AmazonMessage {
  headers: ReadonlyMap<string, string>;
  payload: Uint8Array;
}

export class EventStreamBroken extends Error {}

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const MIN_BYTES = PRELUDE_BYTES + CHECKSUM_BYTES;
/** A message may be as large as a frame of the other protocols; Amazon's own bound is a little above. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_HEADERS_BYTES = 128 * 1024;
const STRING = 7;
/** Bytes of the value by type; -1 means that two bytes say how many. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export class EventStreamParser {
  readonly #maxBytes: number;
  /** The bytes of the next message so far, in the pieces in which they came. */
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** Lengths of the message that has begun; undefined until its prelude is complete. */
  #total: number | undefined;

  constructor(maxBytes = MAX_MESSAGE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Throws EventStreamBroken. */
  push(chunk: Uint8Array, onMessage: (message: AmazonMessage) => void): void {
    if (chunk.length === 0) return;
    this.#pieces.push(chunk);
    this.#size += chunk.length;
    while (this.#size >= (this.#total ?? PRELUDE_BYTES)) {
      if (this.#total === undefined) {
        this.#total = this.#readLength();
        continue;
      }
      onMessage(readMessage(this.#take(this.#total)));
      this.#total = undefined;
    }
  }

  /** Whether an incomplete message is left over. */
  get isCut(): boolean {
    return this.#size > 0;
  }

  /** The length is checked before anything waits for that many bytes. */
  #readLength(): number {
    const bytes = this.#joined();
    const view = viewOf(bytes);
    const total = view.getUint32(0);
    const headers = view.getUint32(4);
    if (crc32(bytes.subarray(0, 8)) !== view.getUint32(8)) throw new EventStreamBroken('the lengths are damaged');
    if (total > this.#maxBytes || headers > MAX_HEADERS_BYTES) throw new EventStreamBroken('a message is too large');
    if (total < MIN_BYTES + headers) throw new EventStreamBroken('a message is shorter than its own headers');
    return total;
  }

  #joined(): Uint8Array {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] as Uint8Array;
  }

  #take(bytes: number): Uint8Array {
    const all = this.#joined();
    this.#pieces = all.length > bytes ? [all.subarray(bytes)] : [];
    this.#size -= bytes;
    return all.subarray(0, bytes);
  }
}

function readMessage(bytes: Uint8Array): AmazonMessage {
  const view = viewOf(bytes);
  const end = bytes.length - CHECKSUM_BYTES;
  if (crc32(bytes.subarray(0, end)) !== view.getUint32(end)) throw new EventStreamBroken('a message is damaged');
  const headersEnd = PRELUDE_BYTES + view.getUint32(4);
  return { headers: readHeaders(bytes.subarray(PRELUDE_BYTES, headersEnd)), payload: bytes.subarray(headersEnd, end) };
}

function readHeaders(bytes: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>();
  const view = viewOf(bytes);
  const need = (upTo: number) => {
    if (upTo > bytes.length) throw new EventStreamBroken('a header is cut');
  };
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + view.getUint8(at);
    need(nameEnd + 1);
    const name = utf8.decode(bytes.subarray(at + 1, nameEnd));
    const type = view.getUint8(nameEnd);
    let from = nameEnd + 1;
    let length = VALUE_BYTES[type];
    if (length === undefined) throw new EventStreamBroken(`a header has the unknown type ${type}`);
    if (length < 0) {
      need(from + 2);
      length = view.getUint16(from);
      from += 2;
    }
    need(from + length);
    if (type === STRING) headers.set(name, utf8.decode(bytes.subarray(from, from + length)));
    at = from + length;
  }
  return headers;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const POLYNOMIAL = 0xedb8_8320;
const CHECKSUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ POLYNOMIAL : sum >>> 1;
  return sum;
});

function crc32(bytes: Uint8Array): number {
  let sum = 0xffff_ffff;
  for (const byte of bytes) sum = (CHECKSUMS[(sum ^ byte) & 0xff] as number) ^ (sum >>> 8);
  return ~sum >>> 0;
}
