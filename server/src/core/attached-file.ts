/**
 * Small files that people attach: decoded from base64, with a name that is safe in paths and headers, and a type found
 * from their first bytes.
 */
import { invalidRequest } from './errors.ts';
import { expected } from './expected.ts';
import { reasons } from './reasons.ts';

const MAX_ATTACHED_BYTES = 3 * 1024 * 1024;

export function decodeAttached(data: string, param: string): Buffer {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) throw invalidRequest(param, reasons.mustBe('data', expected.base64));
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length === 0 || bytes.length > MAX_ATTACHED_BYTES)
    throw invalidRequest(param, reasons.tooLong('data', MAX_ATTACHED_BYTES));
  return bytes;
}

/** Removes paths, control characters and everything that could end a header. */
export function safeFileName(name: string): string {
  const plain = name
    .replace(/[^\p{L}\p{N} ._()-]/gu, '_')
    .replace(/^\.+/, '')
    .trim();
  return plain === '' ? 'file' : plain.slice(0, 120);
}

const ASCII = (bytes: Uint8Array, from: number, to: number) => Buffer.from(bytes.subarray(from, to)).toString('latin1');

/** The type that the first bytes of a picture or PDF show; undefined for everything else, whatever its name claims. */
export function paperType(bytes: Uint8Array): string | undefined {
  if (ASCII(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg';
  if (ASCII(bytes, 0, 4) === 'RIFF' && ASCII(bytes, 8, 12) === 'WEBP') return 'image/webp';
  return ASCII(bytes, 0, 5) === '%PDF-' ? 'application/pdf' : undefined;
}
