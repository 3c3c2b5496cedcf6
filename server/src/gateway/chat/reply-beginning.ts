/**
 * The first bytes of a reply whose content type cannot be trusted. They are put back and read again as if they were
 * new.
 */
import type { ByteSource } from './upstream-stream.ts';

/** A reply with more leading whitespace than this has no beginning. */
const MAX_BEGINNING_BYTES = 64 * 1024;
/** Every line of an event stream is a field of these or a comment; no JSON begins so. */
const EVENT_STREAM = /^(?:data|event|id|retry)?:/;

export function isEventStream(text: string): boolean {
  // A byte order mark counts as white space here.
  return EVENT_STREAM.test(text.trimStart());
}

/** Reads up to the first bytes that decide. */
export async function readBeginning(bytes: ByteSource): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size < MAX_BEGINNING_BYTES) {
    const chunk = await bytes.read();
    if (!chunk) break;
    chunks.push(chunk);
    size += chunk.length;
    // A field's name may be cut off; ten letters hold the longest one with its colon.
    if (Buffer.concat(chunks).toString().trim().length >= 10) break;
  }
  return Buffer.concat(chunks);
}

export function startingWith(beginning: Buffer, rest: ByteSource): ByteSource {
  let isReplayed = beginning.length === 0;
  return {
    read() {
      if (isReplayed) return rest.read();
      isReplayed = true;
      return Promise.resolve(beginning);
    },
    abort: (reason) => rest.abort(reason),
  };
}

/** Returns undefined when there is more than `maxBytes`. */
export async function joinedText(bytes: ByteSource, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await bytes.read(); chunk; chunk = await bytes.read()) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
