/**
 * Broken text: NUL, which PostgreSQL's texts cannot hold, and lone halves of surrogate pairs. A client can write both
 * into JSON, and NUL into an address. Neither may reach anything that is stored, compared or shown.
 */
import { type GatewayError, invalidRequest } from './errors.ts';
import { reasons } from './reasons.ts';

const BROKEN = /[\0\p{Surrogate}]/u;
/** In JSON that is valid UTF-8, such a character can only be written as an escape. */
const ESCAPE = Buffer.from('\\u');

function isBrokenText(text: string): boolean {
  return BROKEN.test(text);
}

/** Refuses broken text anywhere in what a client sent, field names included; the error names the field. */
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

/** The same for a raw body; bodies without an escape are not walked, because they cannot hold broken text. */
export function refuseBrokenBody(bytes: Uint8Array, parsed: unknown): void {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(ESCAPE)) refuseBrokenText(parsed);
}

function brokenTextAt(name: string): GatewayError {
  // The field's name may itself be broken, and the answer repeats it.
  const param = name.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
  return invalidRequest(param, reasons.brokenText(param));
}
