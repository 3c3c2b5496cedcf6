/**
 * A connection of plain requests, one after the other. The first request that is not plain takes the connection with it to Node's
 * own server, before a byte of it was consumed, and never comes back.
 */
import type { Socket } from 'node:net';
import { type PlainHead, readPlainHead, type WantedHeaders } from './plain-head.ts';
import { PlainReply } from './plain-reply.ts';

export interface PlainRequest<Name extends string = string> {
  head: PlainHead<Name>;
  body: Uint8Array;
  socket: Socket;
}

/** What the fast path does for its connections. */
export interface FastPathService<Name extends string = string> {
  readonly wanted: WantedHeaders<Name>;
  /** True when a request with this head may be answered here, now. */
  accepts(head: PlainHead<Name>): boolean;
  answer(request: PlainRequest<Name>, reply: PlainReply): void;
  /** Gets the connection with everything that was read of it. */
  handOver(socket: Socket): void;
  /** Text of the Date header. */
  date(): string;
  ended(connection: PlainConnection<Name>): void;
}

export interface ConnectionTimes {
  /** For a whole request; half of it for its head. */
  requestMs: number;
  keepAliveMs: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
/** How much a client may send ahead while its request is being answered. */
const EARLY_BYTES = 64 * 1024;
/** Marks a change since the last sweep: as the sweep may follow at once, it only begins to count. */
const UNSWEPT = -1;
const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

export class PlainConnection<Name extends string = string> {
  readonly #socket: Socket;
  readonly #service: FastPathService<Name>;
  /** Pieces of the body; while a request is being answered, pieces of what comes after it. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  #head: PlainHead<Name> | undefined;
  #reply: PlainReply | undefined;
  #used = false;
  #closing = false;
  /** How long nothing has changed, counted by sweeps so that no clock is read per request. */
  #waitedMs = UNSWEPT;

  constructor(socket: Socket, service: FastPathService<Name>) {
    this.#socket = socket;
    this.#service = service;
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose).on('error', ignore);
    socket.on('drain', this.#onDrain);
  }

  /** No new request is taken; one that is being answered is finished. */
  close(): void {
    this.#closing = true;
    if (!this.#reply) this.#socket.destroy();
  }

  cut(): void {
    this.#socket.destroy();
  }

  /** Called every `elapsedMs`. Senders that are too slow and connections nobody uses must not stay for ever. */
  sweep(elapsedMs: number, { requestMs, keepAliveMs }: ConnectionTimes): void {
    if (this.#reply) return;
    if (this.#waitedMs === UNSWEPT) {
      this.#waitedMs = 0;
      return;
    }
    this.#waitedMs += elapsedMs;
    if (this.#head) {
      if (this.#waitedMs >= requestMs) this.#socket.end(TOO_SLOW, () => this.#socket.destroy());
    } else if (this.#waitedMs >= (this.#used ? keepAliveMs : requestMs / 2)) {
      this.#socket.destroy();
    }
  }

  readonly #onData = (piece: Buffer): void => {
    if (this.#head || this.#reply) this.#keep(piece);
    else this.#begin(piece);
  };

  /** A client that ends its side is not waiting for an answer; Node's server treats it the same. */
  readonly #onEnd = (): void => {
    this.#socket.end();
  };

  readonly #onClose = (): void => {
    this.#service.ended(this);
    this.#reply?.emit('close');
  };

  readonly #onDrain = (): void => {
    this.#reply?.emit('drain');
  };

  #begin(bytes: Buffer): void {
    this.#waitedMs = UNSWEPT;
    const headEnd = bytes.indexOf(HEAD_END);
    // A head that comes in two pieces is rare, so it is left to Node's parser.
    const head = headEnd < 0 ? undefined : readPlainHead(bytes, headEnd, this.#service.wanted);
    if (!head || !this.#service.accepts(head)) {
      this.#handOver(bytes);
      return;
    }
    const body = bytes.subarray(headEnd + HEAD_END.length);
    this.#head = head;
    this.#keep(body);
  }

  #keep(piece: Buffer): void {
    if (piece.length > 0) this.#pieces.push(piece);
    this.#bytes += piece.length;
    const head = this.#head;
    if (head) {
      if (this.#bytes >= head.bodyBytes) this.#answer(head);
    } else if (this.#bytes > EARLY_BYTES) {
      this.#socket.pause();
    }
  }

  #answer(head: PlainHead<Name>): void {
    const bytes = this.#takeAll();
    const whole = bytes.length === head.bodyBytes;
    const body = whole ? bytes : bytes.subarray(0, head.bodyBytes);
    this.#head = undefined;
    this.#used = true;
    this.#reply = new PlainReply(this.#socket, this.#service.date(), () => this.#answered());
    if (!whole) this.#keep(bytes.subarray(head.bodyBytes));
    this.#service.answer({ head, body, socket: this.#socket }, this.#reply);
  }

  #answered(): void {
    this.#reply = undefined;
    this.#waitedMs = UNSWEPT;
    if (this.#closing) {
      this.#socket.end();
      return;
    }
    if (this.#bytes === 0) return;
    if (!this.#socket.isPaused()) {
      this.#begin(this.#takeAll());
      return;
    }
    // Waits until the socket flows: a resume that is still scheduled would undo the pause of the server that may get the
    // connection next.
    this.#socket.once('resume', () => this.#begin(this.#takeAll()));
    this.#socket.resume();
  }

  #takeAll(): Buffer {
    const [only] = this.#pieces;
    const bytes = only && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces = [];
    this.#bytes = 0;
    return bytes;
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose).off('error', ignore);
    socket.off('drain', this.#onDrain);
    this.#service.ended(this);
    this.#service.handOver(socket);
    // The bytes are emitted instead of put back with `unshift`: that would need a resume, which comes a tick late and undoes the
    // server's first pause.
    socket.emit('data', bytes);
  }
}

/** For 'error', which needs no handling because 'close' always follows it. */
function ignore(): void {}
