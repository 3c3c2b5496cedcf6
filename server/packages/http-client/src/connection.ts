/** One connection, with one call on it at a time. */
import type { Socket } from 'node:net';
import type { AnswerHandler, Carrier } from './call.ts';
import { type Connector, type Destination, openDirect, secureOver } from './destination.ts';
import { closedByServer } from './refusals.ts';
import type { ResponseHead } from './response-head.ts';
import { type ResponseHandler, ResponseReader } from './response-reader.ts';
import { isInPieces, isWhole, type WrittenCall } from './written-call.ts';

export interface ConnectionOwner {
  /** The TLS session of an earlier connection, which shortens the next handshake. */
  session: Buffer | undefined;
  /** The connection's call has ended and another may follow. */
  freed(connection: Connection): void;
  gone(connection: Connection): void;
}

/** How long a connection is kept between two calls when the server announces no limit of its own. */
const KEEP_ALIVE_MS = 4_000;
const MAX_KEEP_ALIVE_MS = 600_000;
/**
 * We close this much before the limit that the server announced: otherwise a call could be on its way while the server closes.
 */
const KEEP_ALIVE_MARGIN_MS = 1_000;
const PROBE_AFTER_MS = 60_000;
/** A longer text would be copied once more to stand behind its head. */
const JOINED_BYTES = 16 * 1024;

/**
 * All connections read into this one buffer. That is safe for two reasons: what was read is taken apart at once, and nothing is
 * written to a connection meanwhile (a write could make a TLS connection read in between), because the pool hands out freed
 * connections only in the next turn.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

export class Connection implements Carrier, ResponseHandler {
  /** How long it has been idle; counted by the pool's sweeps. */
  idleMs = 0;
  keepAliveMs = KEEP_ALIVE_MS;
  readonly #owner: ConnectionOwner;
  /** Undefined while a connector opens the socket. */
  #socket: Socket | undefined;
  /** A connector has opened the socket. */
  #tunnelled = false;
  #opening: AbortController | undefined;
  readonly #reader = new ResponseReader(this);
  #handler: AnswerHandler | undefined;
  #written: WrittenCall | undefined;
  #ready = false;
  #paused = false;
  /** True while pieces of the request body are still to be sent. */
  #uploading = false;
  #error: Error | undefined;

  constructor(destination: Destination, owner: ConnectionOwner) {
    this.#owner = owner;
    if (destination.connect) {
      void this.#openThrough(destination, destination.connect);
      return;
    }
    const onread = {
      buffer: READ_BUFFER,
      callback: (length: number) => this.#onBytes(READ_BUFFER.subarray(0, length)),
    };
    this.#use(openDirect(destination, { session: owner.session, onread }));
    this.#socket?.once(destination.secure ? 'secureConnect' : 'connect', () => this.#onReady());
  }

  get ready(): boolean {
    return this.#ready;
  }

  get busy(): boolean {
    return this.#handler !== undefined;
  }

  get usable(): boolean {
    return this.#socket?.destroyed === false && this.#socket.readable;
  }

  /** Sends the call at once, or as soon as the connection stands. */
  carry(handler: AnswerHandler, written: WrittenCall): void {
    this.#handler = handler;
    this.#written = written;
    handler.onAssigned(this);
    if (this.#ready) this.#send();
  }

  pause(): void {
    if (!this.#handler) return;
    this.#paused = true;
    if (!this.#tunnelled) this.#socket?.pause();
  }

  /** Reads on after `pause`, or after `onBody` asked for one. */
  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#tunnelled) this.#readWaiting();
    else this.#socket?.resume();
  }

  /** Closes at once; the call that runs on it fails with the error. */
  drop(error?: Error): void {
    if (error) this.#error ??= error;
    this.#socket?.destroy();
    if (!this.#opening) return;
    this.#opening.abort();
    this.#opening = undefined;
    this.#onClose();
  }

  head(head: ResponseHead): void {
    const { keepAliveMs } = head;
    this.keepAliveMs =
      keepAliveMs === undefined ? KEEP_ALIVE_MS : Math.min(MAX_KEEP_ALIVE_MS, keepAliveMs - KEEP_ALIVE_MARGIN_MS);
    this.#handler?.onHead(head);
  }

  body(view: Buffer): void {
    this.#paused = this.#handler?.onBody(Buffer.from(view)) === false;
  }

  end(reusable: boolean): void {
    const handler = this.#handler;
    this.#handler = undefined;
    this.#paused = false;
    const sent = !this.#uploading && this.#socket?.writableLength === 0;
    if (reusable && sent && this.keepAliveMs > 0 && this.usable) this.#owner.freed(this);
    else this.#socket?.destroy();
    handler?.onEnd();
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    socket.setNoDelay(true).setKeepAlive(true, PROBE_AFTER_MS);
    socket.once('end', () => this.#onEnd());
    socket.once('close', () => this.#onClose());
    socket.on('error', (error) => {
      this.#error ??= error;
    });
    socket.on('session', (newer: Buffer) => {
      this.#owner.session = newer;
    });
  }

  async #openThrough(destination: Destination, connect: Connector): Promise<void> {
    const opening = new AbortController();
    this.#opening = opening;
    let tunnel: Socket;
    try {
      tunnel = await connect({ hostname: destination.hostname, port: destination.port }, opening.signal);
    } catch (error) {
      this.drop(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (opening.signal.aborted) {
      tunnel.destroy();
      return;
    }
    this.#opening = undefined;
    this.#tunnelled = true;
    const socket = destination.secure ? secureOver(tunnel, destination, this.#owner.session) : tunnel;
    this.#use(socket);
    // `onread` with our buffer is an option of new sockets only, so a socket that a connector opened is read by events.
    socket.on('readable', () => this.#readWaiting());
    if (destination.secure) socket.once('secureConnect', () => this.#onReady());
    else this.#onReady();
  }

  /** Takes what came while paused as one: `data` would give a stream that rests one piece per rest, and it would fall behind. */
  #readWaiting(): void {
    if (this.#paused) return;
    const bytes: Buffer | null | undefined = this.#socket?.read();
    if (bytes) this.#onBytes(bytes);
  }

  #onReady(): void {
    this.#ready = true;
    this.#send();
  }

  #send(): void {
    const written = this.#written as WrittenCall;
    this.#written = undefined;
    this.#handler?.onSent();
    const { head, body, bodyBytes } = written;
    const socket = this.#socket as Socket;
    if (body === undefined) {
      socket.write(head, 'latin1');
    } else if (typeof body === 'string' && bodyBytes === body.length) {
      // As many bytes as characters: the text is ASCII, and goes out with its head as one.
      if (bodyBytes <= JOINED_BYTES) socket.write(head + body, 'latin1');
      else writeBoth(socket, head, body);
    } else {
      socket.cork();
      socket.write(head, 'latin1');
      if (isWhole(body)) socket.write(body);
      else if (isInPieces(body)) for (const piece of body) socket.write(piece);
      else void this.#upload(socket, body, bodyBytes);
      socket.uncork();
    }
  }

  async #upload(socket: Socket, body: AsyncIterable<Uint8Array>, bodyBytes: number | undefined): Promise<void> {
    const chunked = bodyBytes === undefined;
    let sentBytes = 0;
    this.#uploading = true;
    try {
      for await (const piece of body) {
        if (socket.destroyed) return;
        // An empty chunk would mean the end of the body.
        if (piece.byteLength === 0) continue;
        sentBytes += piece.byteLength;
        socket.cork();
        if (chunked) socket.write(`${piece.byteLength.toString(16)}\r\n`, 'latin1');
        let flows = socket.write(piece);
        if (chunked) flows = socket.write('\r\n', 'latin1');
        socket.uncork();
        if (!flows) await drained(socket);
      }
      if (chunked) socket.write('0\r\n\r\n', 'latin1');
      else if (sentBytes !== bodyBytes) throw new Error('the body is not as long as announced');
      this.#uploading = false;
    } catch (error) {
      this.drop(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** False when the taker wants no more for now. */
  #onBytes(view: Buffer): boolean {
    // TLS hands out every record of what it has read, also after the first of them made us pause.
    const stopped = this.#paused;
    try {
      // Bytes that come while no call runs cannot be an answer: the connection is dropped.
      if (!this.#handler) throw new Error('bytes without a call');
      this.#reader.read(view);
    } catch (error) {
      this.drop(error as Error);
    }
    // The answer may have ended in such a record; the next one would never be read.
    if (stopped && !this.#paused) this.#socket?.resume();
    return !this.#paused;
  }

  /** The server has ended its side. */
  #onEnd(): void {
    if (this.#handler && this.#reader.closed()) this.end(false);
    else this.#socket?.destroy();
  }

  #onClose(): void {
    // What came during a pause stands before the failure.
    if (this.#tunnelled) this.resume();
    const handler = this.#handler;
    this.#handler = undefined;
    handler?.onError(this.#error ?? closedByServer());
    this.#owner.gone(this);
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

/** Two texts in one write. */
function writeBoth(socket: Socket, head: string, body: string): void {
  socket.cork();
  socket.write(head, 'latin1');
  socket.write(body, 'latin1');
  socket.uncork();
}
