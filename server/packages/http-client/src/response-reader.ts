/** Takes the bytes of a connection apart, however they were split: heads, bodies, and where each body ends. */
import { MAX_HEAD_BYTES, MAX_INTERIM, MalformedResponse } from './refusals.ts';
import { ResponseHead } from './response-head.ts';

export interface ResponseHandler {
  head(head: ResponseHead): void;
  /** Bytes of the body; the memory is used again after the call. */
  body(view: Buffer): void;
  /** `reusable`: the connection may carry another call. */
  end(reusable: boolean): void;
}

type Part = 'head' | 'sized' | 'until-close' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'over';

const HEAD_END = Buffer.from('\r\n\r\n');
const MAX_LINE_BYTES = 16 * 1024;
/** A chunk's size in hexadecimal digits without blanks; extensions may only be plain words. */
const CHUNK_SIZE = /^([0-9a-f]{1,13})(?:;[!#$%&'*+\-.^_`|~0-9a-z]+(?:=[!#$%&'*+\-.^_`|~0-9a-z]+)?)*$/i;
/** Longer sizes are read as a line. */
const MAX_PLAIN_DIGITS = 7;
const TRAILER = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;
/** Trailers that would change how the body should have been read, when it has been read already. */
const FORBIDDEN_TRAILER = /^(?:content-length|transfer-encoding|connection|proxy-connection|upgrade):/i;
const NEW_LINE = 0x0a;
const RETURN = 0x0d;

export class ResponseReader {
  readonly #handler: ResponseHandler;
  #part: Part = 'head';
  /** The beginning of a head or a line whose end has not come yet. */
  #text = '';
  #line: string | undefined;
  /** Bytes of the body, or of its chunk, that are still to come. */
  #left = 0;
  /** How many bytes of the body were found so far in what is being read; they are moved together to its beginning. */
  #gathered = 0;
  #trailerBytes = 0;
  #reusable = false;
  #interim = 0;

  constructor(handler: ResponseHandler) {
    this.#handler = handler;
  }

  /** Overwrites parts of `view`, so the caller must not need it afterwards. Throws MalformedResponse. */
  read(view: Buffer): void {
    this.#gathered = 0;
    let at = 0;
    while (at < view.length && this.#part !== 'over') at = this.#readPart(view, at);
    if (this.#gathered > 0) this.#handler.body(view.subarray(0, this.#gathered));
    if (this.#part !== 'over') return;
    this.#part = 'head';
    // Bytes behind the end of the only answer that was asked for cannot be another answer: the connection is not used again.
    this.#handler.end(this.#reusable && at === view.length);
  }

  /** The server has closed. True when that was the end of the body. */
  closed(): boolean {
    if (this.#part !== 'until-close') return false;
    this.#part = 'head';
    return true;
  }

  #readPart(view: Buffer, at: number): number {
    switch (this.#part) {
      case 'head':
        return this.#readHead(view, at);
      case 'sized':
      case 'chunk':
        return this.#readCounted(view, at);
      case 'until-close':
        return this.#gather(view, at, view.length);
      case 'chunk-size':
        return this.#readChunkSize(view, at);
      case 'chunk-end':
        return this.#readChunkEnd(view, at);
      default:
        return this.#readTrailer(view, at);
    }
  }

  #readHead(view: Buffer, at: number): number {
    const waiting = this.#text;
    // An end that came in two pieces begins in the last three characters of what waits.
    const end = waiting === '' ? view.indexOf(HEAD_END, at) : -1;
    if (end >= 0) {
      this.#begin(view.toString('latin1', at, end));
      return end + HEAD_END.length;
    }
    const text = waiting + view.toString('latin1', at);
    const textEnd = waiting === '' ? -1 : text.indexOf('\r\n\r\n', Math.max(0, waiting.length - 3));
    if (textEnd < 0) {
      if (text.length > MAX_HEAD_BYTES) throw new MalformedResponse('HEAD_TOO_LARGE');
      this.#text = text;
      return view.length;
    }
    this.#text = '';
    this.#begin(text.slice(0, textEnd));
    return at + textEnd + HEAD_END.length - waiting.length;
  }

  #begin(text: string): void {
    if (text.length > MAX_HEAD_BYTES) throw new MalformedResponse('HEAD_TOO_LARGE');
    const head = ResponseHead.read(text);
    // A change of protocol (101) is malformed, because nobody asked for one.
    if (!head || head.status < 100 || head.status === 101) throw new MalformedResponse('MALFORMED_HTTP');
    // After an interim answer the real one follows.
    if (head.status < 200) {
      // An interim answer that announces the end of the connection is malformed: nothing could follow it.
      if (!head.reusable || ++this.#interim > MAX_INTERIM) throw new MalformedResponse('MALFORMED_HTTP');
      return;
    }
    this.#interim = 0;
    this.#reusable = head.reusable;
    this.#left = head.bodyBytes;
    this.#part = partAfter(head);
    this.#handler.head(head);
  }

  #readCounted(view: Buffer, at: number): number {
    const end = Math.min(view.length, at + this.#left);
    this.#left -= end - at;
    if (this.#left === 0) this.#part = this.#part === 'chunk' ? 'chunk-end' : 'over';
    return this.#gather(view, at, end);
  }

  #gather(view: Buffer, from: number, to: number): number {
    view.copyWithin(this.#gathered, from, to);
    this.#gathered += to - from;
    return to;
  }

  #readChunkSize(view: Buffer, at: number): number {
    const after = this.#text === '' ? this.#readPlainSize(view, at) : at;
    if (after > at) return after;
    const next = this.#readLine(view, at);
    const line = this.#line;
    if (line === undefined) return next;
    const size = CHUNK_SIZE.exec(line)?.[1];
    if (size === undefined) throw new MalformedResponse('MALFORMED_HTTP');
    this.#beginChunk(Number.parseInt(size, 16));
    return next;
  }

  /**
   * Reads a size of a few digits whose line is complete, as nearly every one is, without making a string. Returns `at`
   * for any other.
   */
  #readPlainSize(view: Buffer, at: number): number {
    const most = Math.min(view.length, at + MAX_PLAIN_DIGITS);
    let size = 0;
    let end = at;
    for (; end < most; end++) {
      const digit = hexadecimalDigit(view[end] as number);
      if (digit < 0) break;
      size = size * 16 + digit;
    }
    if (end === at || view[end] !== RETURN || view[end + 1] !== NEW_LINE) return at;
    this.#beginChunk(size);
    return end + 2;
  }

  #beginChunk(size: number): void {
    this.#left = size;
    this.#part = size === 0 ? 'trailers' : 'chunk';
    this.#trailerBytes = 0;
  }

  #readChunkEnd(view: Buffer, at: number): number {
    if (this.#text === '' && view[at] === RETURN && view[at + 1] === NEW_LINE) {
      this.#part = 'chunk-size';
      return at + 2;
    }
    const next = this.#readLine(view, at);
    if (this.#line === undefined) return next;
    if (this.#line !== '') throw new MalformedResponse('MALFORMED_HTTP');
    this.#part = 'chunk-size';
    return next;
  }

  #readTrailer(view: Buffer, at: number): number {
    const next = this.#readLine(view, at);
    if (this.#line === undefined) return next;
    this.#trailerBytes += this.#line.length;
    if (this.#trailerBytes > MAX_HEAD_BYTES) throw new MalformedResponse('HEAD_TOO_LARGE');
    if (this.#line === '') this.#part = 'over';
    else if (!TRAILER.test(this.#line) || FORBIDDEN_TRAILER.test(this.#line))
      throw new MalformedResponse('MALFORMED_HTTP');
    return next;
  }

  /** Leaves the line in `#line`; undefined while its end has not come. */
  #readLine(view: Buffer, at: number): number {
    const newLine = view.indexOf(NEW_LINE, at);
    const end = newLine < 0 ? view.length : newLine + 1;
    const text = this.#text + view.toString('latin1', at, end);
    if (text.length > MAX_LINE_BYTES) throw new MalformedResponse('MALFORMED_HTTP');
    this.#line = undefined;
    if (newLine < 0) {
      this.#text = text;
      return end;
    }
    this.#text = '';
    if (!text.endsWith('\r\n')) throw new MalformedResponse('MALFORMED_HTTP');
    this.#line = text.slice(0, -2);
    return end;
  }
}

/** -1 for any other character. */
function hexadecimalDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}

function partAfter({ framing, bodyBytes }: ResponseHead): Part {
  if (framing === 'chunked') return 'chunk-size';
  if (framing === 'until-close') return 'until-close';
  return framing === 'sized' && bodyBytes > 0 ? 'sized' : 'over';
}
