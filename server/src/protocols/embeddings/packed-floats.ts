/** Vectors as base64 of little-endian 32-bit floats, the form both OpenAI SDKs ask for when the user says nothing. */

/** String.fromCharCode takes its bytes as arguments; more than this at once would overflow the stack. */
const BYTES_AT_ONCE = 8192;

export function packFloats(vector: ArrayLike<number>): string {
  const bytes = new Uint8Array(vector.length * 4);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < vector.length; at++) view.setFloat32(at * 4, vector[at] as number, true);
  return base64Of(bytes);
}

/** Returns undefined when it is no base64 or no whole number of floats. */
export function unpackFloats(base64: string): Float32Array | undefined {
  const bytes = bytesOf(base64);
  if (!bytes || bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  const view = new DataView(bytes.buffer);
  const vector = new Float32Array(bytes.length / 4);
  for (let at = 0; at < vector.length; at++) vector[at] = view.getFloat32(at * 4, true);
  return vector;
}

/** Reads quantised vectors, which have one byte per number. */
export function unpackBytes(base64: string, signed: boolean): number[] | undefined {
  const bytes = bytesOf(base64);
  if (!bytes || bytes.length === 0) return undefined;
  return Array.from(signed ? new Int8Array(bytes.buffer) : bytes);
}

export function packBytes(vector: ArrayLike<number>): string {
  return base64Of(Uint8Array.from(vector));
}

/** No model writes numbers of this size; bytes that were read as floats are full of them. */
const LARGEST = 1e6;
const SMALLEST = 1e-20;

/** Whether these can be a model's numbers, or are other bytes read as floats. */
export function areFloats(vector: Float32Array): boolean {
  return vector.every((value) => {
    const size = Math.abs(value);
    return size === 0 || (size < LARGEST && size > SMALLEST);
  });
}

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE));
  }
  return btoa(binary);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(base64);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
    return bytes;
  } catch {
    return undefined;
  }
}
