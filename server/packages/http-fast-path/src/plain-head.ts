/**
 * The head of a plain request: POST, HTTP/1.1, a body of known length and nothing unusual. A head that is not plain is not an
 * error here: Node's own parser reads it. So the rules can be strict, and whatever two parsers could understand differently is
 * left to Node.
 */

export interface PlainHead<Name extends string = string> {
  path: string;
  /** Those that were asked for, by their lower-case names. */
  headers: { [name in Name]?: string };
  bodyBytes: number;
}

/** The headers that the fast path keeps. A request that repeats one of them is not plain. */
export class WantedHeaders<Name extends string> {
  readonly #names: ReadonlySet<string>;

  constructor(names: readonly Name[]) {
    this.#names = new Set(names);
  }

  has(name: string): name is Name {
    return this.#names.has(name);
  }
}

/** Visible characters only, no folded lines, no lone CR or LF, at least one header. */
const WELL_FORMED = /^POST [!-~]+ HTTP\/1\.1(?:\r\n[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*)+$/;
const METHOD_CHARACTERS = 'POST '.length;
const VERSION_CHARACTERS = ' HTTP/1.1'.length;
/** At most the one blank that every client writes: of further blanks Node takes some and refuses others. */
const LENGTH = /^ ?(\d{1,10})$/;
const KEEP_ALIVE = /^ ?keep-alive$/i;
/** Node's own limit. Node answers a larger head with 431; the fast path leaves it to Node. */
const MAX_HEAD_BYTES = 16 * 1024;
/** Well below the two thousand beyond which Node silently drops headers. */
const MAX_HEADERS = 1_000;

/** Headers that change how the body or the connection is to be read. Node reads `Proxy-Connection` as it reads `Connection`. */
const NOT_PLAIN: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
  'proxy-connection',
]);

/** `bytes` up to `end`, which is where the empty line begins; undefined when the head is not plain. */
export function readPlainHead<Name extends string>(
  bytes: Buffer,
  end: number,
  wanted: WantedHeaders<Name>,
): PlainHead<Name> | undefined {
  if (end > MAX_HEAD_BYTES) return undefined;
  const text = bytes.toString('latin1', 0, end);
  if (!WELL_FORMED.test(text)) return undefined;
  const firstLine = text.indexOf('\r\n');
  const headers: PlainHead<Name>['headers'] = {};
  let bodyBytes = -1;
  let hosts = 0;
  let headersLeft = MAX_HEADERS;
  for (let at = firstLine + 2; at < end; ) {
    if (headersLeft-- === 0) return undefined;
    const lineEnd = lineEndAt(text, at);
    const colon = text.indexOf(':', at);
    const name = text.slice(at, colon).toLowerCase();
    if (wanted.has(name)) {
      if (headers[name] !== undefined) return undefined;
      headers[name] = valueBetween(bytes, text, colon + 1, lineEnd);
    } else if (name === 'content-length') {
      const length = LENGTH.exec(text.slice(colon + 1, lineEnd))?.[1];
      if (bodyBytes >= 0 || length === undefined) return undefined;
      bodyBytes = Number(length);
    } else if (name === 'host') {
      hosts++;
    } else if (name === 'connection') {
      if (!KEEP_ALIVE.test(text.slice(colon + 1, lineEnd))) return undefined;
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
