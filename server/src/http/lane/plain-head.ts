/**
 * The head of a plain request: POST, HTTP/1.1, a body of known length, nothing that needs a second thought. Everything else is
 * not an error here but somebody else's to read (Node's own parser), so the rules may be as strict as they like: what two
 * parsers could understand differently is never understood by this one.
 */
import { CALL_HEADERS, type CallHeaders } from '../call-headers.ts';

export interface PlainHead {
  path: string;
  headers: CallHeaders;
  bodyBytes: number;
}

/** Visible characters only, no folded lines, no lone CR or LF, at least one header. */
const WELL_FORMED = /^POST [!-~]+ HTTP\/1\.1(?:\r\n[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*)+$/;
const METHOD_CHARACTERS = 'POST '.length;
const VERSION_CHARACTERS = ' HTTP/1.1'.length;
const LENGTH = /^\d{1,10}$/;
/** Node's own limit; it also says so, which this does not. */
const MOST_HEAD_BYTES = 16 * 1024;

const WANTED: ReadonlySet<string> = new Set(CALL_HEADERS);
const isWanted = (name: string): name is keyof CallHeaders => WANTED.has(name);
/** They change how the body or the connection is to be read. */
const NOT_PLAIN: ReadonlySet<string> = new Set(['transfer-encoding', 'expect', 'upgrade', 'trailer', 'te']);

/** `bytes` up to `end`, which is where the empty line begins; undefined when the head is not plain. */
export function readPlainHead(bytes: Buffer, end: number): PlainHead | undefined {
  if (end > MOST_HEAD_BYTES) return undefined;
  const text = bytes.toString('latin1', 0, end);
  if (!WELL_FORMED.test(text)) return undefined;
  const firstLine = text.indexOf('\r\n');
  const headers: CallHeaders = {};
  let bodyBytes = -1;
  let hosts = 0;
  for (let at = firstLine + 2; at < end; ) {
    const lineEnd = lineEndAt(text, at);
    const colon = text.indexOf(':', at);
    const name = text.slice(at, colon).toLowerCase();
    if (isWanted(name)) {
      if (headers[name] !== undefined) return undefined;
      headers[name] = valueBetween(bytes, text, colon + 1, lineEnd);
    } else if (name === 'content-length') {
      const value = valueBetween(bytes, text, colon + 1, lineEnd);
      if (bodyBytes >= 0 || !LENGTH.test(value)) return undefined;
      bodyBytes = Number(value);
    } else if (name === 'host') {
      hosts++;
    } else if (name === 'connection') {
      if (valueBetween(bytes, text, colon + 1, lineEnd).toLowerCase() !== 'keep-alive') return undefined;
    } else if (NOT_PLAIN.has(name)) {
      return undefined;
    }
    at = lineEnd + 2;
  }
  if (bodyBytes < 0 || hosts !== 1) return undefined;
  return { path: text.slice(METHOD_CHARACTERS, firstLine - VERSION_CHARACTERS), headers, bodyBytes };
}

function lineEndAt(text: string, from: number): number {
  const end = text.indexOf('\r\n', from);
  return end < 0 ? text.length : end;
}

/** From the bytes and not from the text: a slice of a text keeps the whole text alive for as long as a key or an id is kept. */
function valueBetween(bytes: Buffer, text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  return bytes.toString('latin1', start, end);
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}
