/**
 * The answer on a plain connection: what Node's own response object does for us and no more. One write per piece, head and first
 * piece together; a body of unknown length goes out in chunks.
 */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

/** Not imported: see `docs/performance.md`, "Starts". */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** The kernel takes this much at once, so a smaller answer need not be watched until it is sent; most answers are smaller. */
export const UNWATCHED_BYTES = 64 * 1024;

const FORBIDDEN_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

export class PlainReply extends EventEmitter {
  readonly socket: Socket;
  headersSent = false;
  writableFinished = false;
  readonly #date: string;
  readonly #onFinished: () => void;
  /** The head waits for the first piece, so that both go out in one packet. */
  #head = '';
  #chunked = false;
  #ended = false;

  constructor(socket: Socket, date: string, onFinished: () => void) {
    super();
    this.socket = socket;
    this.#date = date;
    this.#onFinished = onFinished;
  }

  get destroyed(): boolean {
    return this.socket.destroyed;
  }

  get writableLength(): number {
    return this.socket.writableLength;
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>>): void {
    if (this.headersSent) throw new Error('the head of an answer was written twice');
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n`;
    for (const name in headers) {
      const value = headers[name];
      // A line break would end the header and begin whatever follows it.
      if (typeof value === 'string' && FORBIDDEN_IN_VALUE.test(value))
        throw new Error(`header ${name} has bad characters`);
      head += `${name}: ${value}\r\n`;
    }
    this.#chunked = headers['content-length'] === undefined;
    const framing = this.#chunked ? 'Transfer-Encoding: chunked\r\n' : '';
    this.#head = `${head}${framing}Date: ${this.#date}\r\nConnection: keep-alive\r\n\r\n`;
    this.headersSent = true;
  }

  write(data: string | Uint8Array): boolean {
    if (this.#ended || data.length === 0) return true;
    return this.#send(data, '');
  }

  end(data: string | Uint8Array = ''): void {
    if (this.#ended) return;
    this.#ended = true;
    // A longer answer may meet a slow reader, so it is watched until the last byte is out.
    const watched = this.socket.writableLength + data.length > UNWATCHED_BYTES;
    this.#send(data, this.#chunked ? '0\r\n\r\n' : '', watched ? () => this.#finish() : undefined);
    if (!watched) this.#finish();
  }

  destroy(): void {
    this.socket.destroy();
  }

  #finish(): void {
    this.writableFinished = true;
    this.emit('finish');
    this.#onFinished();
  }

  #send(data: string | Uint8Array, tail: string, done?: () => void): boolean {
    const head = this.#head;
    this.#head = '';
    const size = typeof data === 'string' ? Buffer.byteLength(data) : data.byteLength;
    const framed = this.#chunked && size > 0;
    const before = framed ? `${head}${size.toString(16)}\r\n` : head;
    const after = framed ? `\r\n${tail}` : tail;
    const { socket } = this;
    if (typeof data === 'string') {
      // As many bytes as characters: the text is ASCII, and needs no encoding.
      return socket.write(before + data + after, size === data.length ? 'latin1' : 'utf8', done);
    }
    socket.cork();
    if (before !== '') socket.write(before, 'latin1');
    const taken = socket.write(data, after === '' ? done : undefined);
    if (after !== '') socket.write(after, 'latin1', done);
    socket.uncork();
    return taken;
  }
}
