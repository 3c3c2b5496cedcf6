/**
 * Text that is none: NUL, which PostgreSQL's texts cannot hold, and halves of surrogate pairs, which are no character. A client
 * can write both into JSON and NUL into an address; what is stored, compared or shown must never meet them.
 */
import { type GatewayError, invalidRequest } from './errors.ts';
import { reasons } from './reasons.ts';

const BROKEN = /[\0\p{Surrogate}]/u;
/** In bytes that are UTF-8, JSON can say such a character by an escape alone. */
const ESCAPE = Buffer.from('\\u');

function isBrokenText(text: string): boolean {
  return BROKEN.test(text);
}

/** Refuses broken text anywhere in what a client sent, its names included, and names the field. */
export function refuseBrokenText(value: unknown, name = ''): void {
  if (typeof value === 'string') {
    if (isBrokenText(value)) throw brokenTextAt(name);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const path = name === '' ? key : `${name}.${key}`;
    if (isBrokenText(key)) throw brokenTextAt(path);
    refuseBrokenText(item, path);
  }
}

/** The same for a body as it was sent, without looking at what cannot be broken. */
export function refuseBrokenBody(bytes: Uint8Array, parsed: unknown): void {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(ESCAPE)) refuseBrokenText(parsed);
}

function brokenTextAt(name: string): GatewayError {
  // The name may itself be what is broken, and it stands in the answer.
  const param = name.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
  return invalidRequest(param, reasons.brokenText(param));
}
