/**
 * The head of an answer. Its text is kept as it came, and a header is looked for when somebody asks: a server sends
 * thirty of them, a request needs two. What two readers could understand differently is not understood at all.
 */

/** How the end of the body is found. */
export type Framing = 'none' | 'sized' | 'chunked' | 'until-close';

/** Status line and headers without folded lines, control characters or a lone CR or LF. */
const WELL_FORMED =
  /^HTTP\/1\.[01] \d{3}(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*)*$/;
const STATUS_AT = 'HTTP/1.1 '.length;
const CONNECTION = 'connection';
/** Out of date and not in any standard; Node reads it as `Connection`, and so do we. */
const PROXY_CONNECTION = 'proxy-connection';
const KEEP_ALIVE = 'keep-alive';
const CONTENT_LENGTH = 'content-length';
const TRANSFER_ENCODING = 'transfer-encoding';
/** Blanks as Node's reader accepts them: it refuses a tab after the value. */
const LENGTH = /^[\t ]*(\d{1,15}) *$/;
const CHUNKED = /^[\t ]*chunked *$/i;
const KEEP_ALIVE_SECONDS = /(?:^|[\s,])timeout=(\d{1,6})/i;

export class ResponseHead {
  readonly status: number;
  framing: Framing = 'until-close';
  /** The length of a sized body. */
  bodyBytes = 0;
  /** Whether another call may follow on the connection. */
  reusable: boolean;
  /** How long the server says it keeps an idle connection. */
  keepAliveMs: number | undefined;
  readonly #text: string;
  readonly #firstHeaderAt: number;
  #closes = false;
  #stays = false;

  /** `text`: the lines without the empty one; well-formed. */
  private constructor(text: string) {
    this.#text = text;
    this.status = Number(text.slice(STATUS_AT, STATUS_AT + 3));
    this.reusable = text.startsWith('HTTP/1.1');
    const lineEnd = text.indexOf('\r\n');
    this.#firstHeaderAt = lineEnd < 0 ? text.length : lineEnd + 2;
  }

  /** Returns undefined when it is not HTTP, or when its body could end in two places. */
  static read(text: string): ResponseHead | undefined {
    if (!WELL_FORMED.test(text)) return undefined;
    const head = new ResponseHead(text);
    return head.#findFraming() ? head : undefined;
  }

  /** Finds a header by its lower-case name; repeated ones are joined by `, `. */
  header(name: string): string | undefined {
    const text = this.#text;
    let found: string | undefined;
    for (let at = this.#firstHeaderAt; at < text.length; ) {
      const colon = text.indexOf(':', at);
      const end = lineEndAt(text, at);
      if (colon - at === name.length && text.slice(at, colon).toLowerCase() === name) {
        const value = valueBetween(text, colon + 1, end);
        found = found === undefined ? value : `${found}, ${value}`;
      }
      at = end + 2;
    }
    return found;
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = Object.create(null);
    const text = this.#text;
    for (let at = this.#firstHeaderAt; at < text.length; ) {
      const colon = text.indexOf(':', at);
      const end = lineEndAt(text, at);
      const name = text.slice(at, colon).toLowerCase();
      const value = valueBetween(text, colon + 1, end);
      const earlier = headers[name];
      headers[name] = earlier === undefined ? value : `${earlier}, ${value}`;
      at = end + 2;
    }
    return headers;
  }

  /** Reads every line once; the names that matter here are told apart by their length. */
  #findFraming(): boolean {
    const text = this.#text;
    let chunked = false;
    let length: string | undefined;
    for (let at = this.#firstHeaderAt; at < text.length; ) {
      const colon = text.indexOf(':', at);
      const end = lineEndAt(text, at);
      const nameLength = colon - at;
      if (nameLength === CONNECTION.length) {
        const name = text.slice(at, colon).toLowerCase();
        if (name === CONNECTION) this.#readConnection(text.slice(colon + 1, end));
        else if (name === KEEP_ALIVE) this.#readKeepAlive(text.slice(colon + 1, end));
      } else if (nameLength === CONTENT_LENGTH.length) {
        if (text.slice(at, colon).toLowerCase() === CONTENT_LENGTH) {
          const value = LENGTH.exec(text.slice(colon + 1, end))?.[1];
          if (length !== undefined || value === undefined) return false;
          length = value;
        }
      } else if (nameLength === TRANSFER_ENCODING.length) {
        if (text.slice(at, colon).toLowerCase() === TRANSFER_ENCODING) {
          if (chunked || !CHUNKED.test(text.slice(colon + 1, end))) return false;
          chunked = true;
        }
      } else if (nameLength === PROXY_CONNECTION.length) {
        if (text.slice(at, colon).toLowerCase() === PROXY_CONNECTION) this.#readConnection(text.slice(colon + 1, end));
      }
      at = end + 2;
    }
    this.reusable = !this.#closes && (this.reusable || this.#stays);
    return this.#decideFraming(chunked, length);
  }

  #decideFraming(chunked: boolean, length: string | undefined): boolean {
    // Both at once is the way in which one answer is smuggled inside another.
    if (chunked && length !== undefined) return false;
    if (this.status < 200 || this.status === 204 || this.status === 304) {
      this.framing = 'none';
    } else if (chunked) {
      this.framing = 'chunked';
    } else if (length !== undefined) {
      this.framing = 'sized';
      this.bodyBytes = Number(length);
    } else {
      this.reusable = false;
    }
    return true;
  }

  /** A `close` counts whatever else the server says beside it. */
  #readConnection(value: string): void {
    // What nearly every answer says.
    if (value === ' keep-alive') {
      this.#stays = true;
      return;
    }
    for (const token of value.toLowerCase().split(',')) {
      const word = valueBetween(token, 0, token.length);
      if (word === 'close') this.#closes = true;
      else if (word === KEEP_ALIVE) this.#stays = true;
    }
  }

  #readKeepAlive(value: string): void {
    const seconds = KEEP_ALIVE_SECONDS.exec(value)?.[1];
    if (seconds !== undefined) this.keepAliveMs = Number(seconds) * 1_000;
  }
}

function lineEndAt(text: string, from: number): number {
  const end = text.indexOf('\r\n', from);
  return end < 0 ? text.length : end;
}

/** Without the blanks around it. `trim` would also take a no-break space, which is part of the value. */
function valueBetween(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  return text.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}
