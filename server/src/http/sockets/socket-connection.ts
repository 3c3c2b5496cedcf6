/** One open WebSocket: messages in, texts out, with the bounds that every connection has. */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { type ClientConnection, LARGE_BODY_BYTES } from '../../gateway/index.ts';
import { JSON_MEMORY_FACTOR, type MemoryBudget, type MemoryShare } from '../../platform/memory-budget.ts';
import type { KeptSocket, SocketEnd } from './open-sockets.ts';

/** Memory for messages that arrive in pieces is reserved in steps of this size. */
const STEP_BYTES = LARGE_BODY_BYTES;
const CONTROL_HEAD_BYTES = 6;
/** Tells the client to try again later, because there is no room for the message. */
const CLOSE_BUSY = 1013;
const CLOSE_UNSUPPORTED = 1003;

export interface SocketTerms {
  keyId: string;
  /** Whose memory its messages count against. */
  owner: string;
  memory: MemoryBudget;
  /** A reader that takes nothing for this long is gone. */
  readerIdleMs: number;
}

/** The protocol on the connection. */
export interface SocketTalk {
  /** `memory` is what is reserved for a large message; whoever takes it releases it. */
  message(bytes: Buffer, memory: MemoryShare | undefined): void;
  /** Sends the reason just before the connection is closed. */
  farewell(why: SocketEnd): void;
  closed(): void;
}

export class SocketConnection implements KeptSocket, ClientConnection {
  readonly keyId: string;
  readonly owner: string;
  busy = false;
  alive = true;
  readonly #socket: WebSocket;
  readonly #raw: Socket;
  readonly #terms: SocketTerms;
  #talk: SocketTalk | undefined;
  #gone = false;
  readonly #listeners = new Set<() => void>();
  #unread = 0;
  #share: MemoryShare | undefined;
  #paid = 0;
  #drain: Promise<void> | undefined;
  #reasonsToWait = 0;

  constructor(socket: WebSocket, raw: Socket, terms: SocketTerms) {
    this.keyId = terms.keyId;
    this.owner = terms.owner;
    this.#socket = socket;
    this.#raw = raw;
    this.#terms = terms;
    // After a broken frame or a message beyond the limit the library closes with the right code, and 'close' follows.
    socket.on('error', () => undefined);
    // Control frames belong to no message.
    socket.on('ping', ({ length }) => {
      this.#unread -= length + CONTROL_HEAD_BYTES;
    });
    socket.on('pong', ({ length }) => {
      this.alive = true;
      this.#unread -= length + CONTROL_HEAD_BYTES;
    });
    socket.on('close', () => this.#closed());
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#received(data, isBinary));
    raw.on('data', (piece: Buffer) => {
      this.#pay(piece.length);
      // What waits may also be pongs, which the library sends by itself, and answers that nobody waits for.
      if (raw.writableNeedDrain) void this.#drained();
    });
  }

  talk(talk: SocketTalk): void {
    this.#talk = talk;
  }

  get gone(): boolean {
    return this.#gone;
  }

  onGone(listener: () => void): void {
    if (this.#gone) listener();
    else this.#listeners.add(listener);
  }

  offGone(listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Returns a promise when the reader is slower than we are. */
  send(text: string): Promise<void> | undefined {
    if (this.#gone || this.#socket.readyState !== this.#socket.OPEN) return undefined;
    this.#socket.send(text);
    return this.#raw.writableNeedDrain ? this.#drained() : undefined;
  }

  /** `reason` has at most 123 bytes, as the protocol demands. */
  close(code: number, reason = ''): void {
    this.#socket.close(code, reason);
  }

  /** Nothing is read until the result is called: messages wait at their sender, not in our memory. */
  pauseReading(): () => void {
    if (++this.#reasonsToWait === 1) this.#socket.pause();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#reasonsToWait > 0) return;
      // Its pong may be among the unread bytes.
      this.alive = true;
      this.#socket.resume();
    };
  }

  ping(): void {
    if (this.#reasonsToWait > 0) return;
    this.alive = false;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  end(why: SocketEnd): void {
    this.#talk?.farewell(why);
    this.close(why === 'leaving' ? 1001 : 1000, why);
  }

  cut(): void {
    this.#socket.terminate();
  }

  #closed(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#share?.release();
    this.#share = undefined;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
    this.#talk?.closed();
  }

  /** Memory for an incomplete message is reserved as soon as it is large. */
  #pay(bytes: number): void {
    this.#unread += bytes;
    if (this.#unread <= LARGE_BODY_BYTES || this.#unread <= this.#paid || this.#gone) return;
    const step = Math.max(STEP_BYTES, this.#unread - this.#paid);
    this.#share ??= this.#terms.memory.open(this.#terms.owner);
    this.#paid += step;
    if (this.#share.tryReserve('bodies', step * JSON_MEMORY_FACTOR)) return;
    this.close(CLOSE_BUSY, 'overloaded');
    this.cut();
  }

  #received(data: Buffer, isBinary: boolean): void {
    const share = this.#share;
    this.#share = undefined;
    this.#unread = 0;
    this.#paid = 0;
    this.alive = true;
    // It crossed our close frame: its answer would be paid for and never arrive.
    if (this.#socket.readyState !== this.#socket.OPEN) {
      share?.release();
      return;
    }
    if (isBinary || !this.#talk) {
      share?.release();
      this.close(CLOSE_UNSUPPORTED, 'a message must be text');
      return;
    }
    this.#talk.message(data, share);
  }

  /**
   * While the reader is behind nothing is read from it: its messages would make us hold more, and would hide that it
   * takes nothing.
   */
  #drained(): Promise<void> {
    this.#drain ??= this.#untilDrained(this.pauseReading()).finally(() => {
      this.#drain = undefined;
    });
    return this.#drain;
  }

  #untilDrained(readOn: () => void): Promise<void> {
    const raw = this.#raw;
    const cut = (): void => this.cut();
    raw.setTimeout(this.#terms.readerIdleMs);
    raw.once('timeout', cut);
    return new Promise((resolve) => {
      const done = (): void => {
        raw.setTimeout(0);
        raw.off('timeout', cut);
        raw.off('drain', done);
        raw.off('close', done);
        readOn();
        resolve();
      };
      raw.once('drain', done);
      raw.once('close', done);
    });
  }
}
