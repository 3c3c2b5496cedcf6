/** A call in the form in which it is sent. */
import type { CallBody, OutgoingCall } from './call.ts';

const NAME = 1;
const PATH = 2;
const VALUE = 4;
/** For each character the places in which it may stand, as a sum of the three: one look instead of two expressions per header. */
const ALLOWED = new Uint8Array(2 ** 16);
for (let code = 0; code < 256; code++) {
  const character = String.fromCharCode(code);
  if (/[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(character)) ALLOWED[code] = NAME | PATH | VALUE;
  else if (/[\x21-\x7e\x80-\xff]/.test(character)) ALLOWED[code] = PATH | VALUE;
  else if (/[\t ]/.test(character)) ALLOWED[code] = VALUE;
}

export interface WrittenCall {
  head: string;
  body: CallBody | undefined;
  /** Undefined for a body in pieces of unknown length, which is then sent in chunks. */
  bodyBytes: number | undefined;
}

/**
 * Returns undefined when path, a header's name or its value cannot be written, because a line break would begin another
 * header.
 */
export function writtenCall(call: OutgoingCall, host: string, path: string): WrittenCall | undefined {
  if (path === '' || !isAllowed(path, PATH) || !isAllowed(host, VALUE)) return undefined;
  let head = `${call.method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  const { headers, body } = call;
  for (const name in headers) {
    const value = headers[name] as string;
    if (name === '' || !isAllowed(name, NAME) || !isAllowed(value, VALUE)) return undefined;
    head += `${name}: ${value}\r\n`;
  }
  const bodyBytes = lengthOf(call);
  if (headers['content-length'] === undefined) head += framingOf(call, bodyBytes);
  return { head: `${head}\r\n`, body, bodyBytes };
}

function isAllowed(text: string, place: number): boolean {
  for (let at = 0; at < text.length; at++) {
    if (((ALLOWED[text.charCodeAt(at)] as number) & place) === 0) return false;
  }
  return true;
}

function lengthOf({ headers, body }: OutgoingCall): number | undefined {
  if (body === undefined) return 0;
  if (isWhole(body)) return Buffer.byteLength(body);
  if (isInPieces(body)) return body.reduce((bytes, piece) => bytes + piece.byteLength, 0);
  const announced = headers['content-length'];
  return announced === undefined ? undefined : Number(announced);
}

function framingOf({ method, body }: OutgoingCall, bodyBytes: number | undefined): string {
  if (bodyBytes === undefined) return 'transfer-encoding: chunked\r\n';
  const none = body === undefined && (method === 'GET' || method === 'DELETE');
  return none ? '' : `content-length: ${bodyBytes}\r\n`;
}

export function isInPieces(body: CallBody): body is readonly Uint8Array[] {
  return Array.isArray(body);
}

/** True for a body that is there as one. */
export function isWhole(body: CallBody): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}
