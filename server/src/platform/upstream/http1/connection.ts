/** One connection to a provider, with one call on it at a time. */
import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import type { Exchange } from '../exchange.ts';
import { isWhole, type Order } from './order.ts';
import type { ResponseHead } from './response-head.ts';
import { ResponseReader, type ResponseTaker } from './response-reader.ts';

/** Where a pool's connections lead. */
export interface Destination {
  secure: boolean;
  hostname: string;
  port: number;
  /** Trusted instead of the well-known ones. */
  certificateAuthorities?: string[] | undefined;
  lookup?: net.LookupFunction | undefined;
}

export function destinationOf({ protocol, hostname, port }: URL): Destination {
  const secure = protocol === 'https:';
  // An IPv6 address stands in brackets there.
  return { secure, hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 443 : 80) };
}

export interface ConnectionOwner {
  /** Of an earlier connection: the next handshake is shorter with it. */
  session: Buffer | undefined;
  /** Its call has ended and another may follow. */
  freed(connection: Connection): void;
  gone(connection: Connection): void;
}

/** Between two calls, where the provider says nothing of its own limit. */
const KEEP_ALIVE_MS = 4_000;
const MOST_KEEP_ALIVE_MS = 600_000;
/** We stop before the provider does: a call must not meet its closing. */
const KEEP_ALIVE_MARGIN_MS = 1_000;
const PROBE_AFTER_MS = 60_000;

/**
 * All connections are read into this one place. It is safe because what is read is taken apart at once, and because nothing is
 * written to a connection meanwhile, which could make another one (TLS) be read in between: the pool hands out freed
 * connections only in the next turn.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

export class Connection implements ResponseTaker {
  /** Counted by the pool's sweeps. */
  idleMs = 0;
  keepAliveMs = KEEP_ALIVE_MS;
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  readonly #reader = new ResponseReader(this);
  #exchange: Exchange | undefined;
  #order: Order | undefined;
  #ready = false;
  #paused = false;
  /** A body that comes in pieces is not sent to its end. */
  #uploading = false;
  #error: Error | undefined;

  constructor(destination: Destination, owner: ConnectionOwner) {
    this.#owner = owner;
    const socket = this.#open(destination);
    this.#socket = socket;
    socket.setNoDelay(true).setKeepAlive(true, PROBE_AFTER_MS);
    socket.once(destination.secure ? 'secureConnect' : 'connect', () => this.#onReady());
    socket.once('end', () => this.#onEnd());
    socket.once('close', () => this.#onClose());
    socket.on('error', (error) => {
      this.#error ??= error;
    });
  }

  get ready(): boolean {
    return this.#ready;
  }

  get busy(): boolean {
    return this.#exchange !== undefined;
  }

  get usable(): boolean {
    return !this.#socket.destroyed && this.#socket.readable;
  }

  /** Sends the call at once, or as soon as the connection stands. */
  carry(exchange: Exchange, order: Order): void {
    this.#exchange = exchange;
    this.#order = order;
    exchange.onAssigned(this);
    if (this.#ready) this.#send();
  }

  /** After an answer that the reader of its body was too slow for. */
  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#socket.resume();
  }

  /** Closes at once; whatever runs on it fails with the error. */
  drop(error?: Error): void {
    if (error) this.#error ??= error;
    this.#socket.destroy();
  }

  head(head: ResponseHead): void {
    const { keepAliveMs } = head;
    this.keepAliveMs =
      keepAliveMs === undefined ? KEEP_ALIVE_MS : Math.min(MOST_KEEP_ALIVE_MS, keepAliveMs - KEEP_ALIVE_MARGIN_MS);
    this.#exchange?.onHead(head);
  }

  body(view: Buffer): void {
    this.#paused = this.#exchange?.onBody(Buffer.from(view)) === false;
  }

  end(reusable: boolean): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#paused = false;
    const sent = !this.#uploading && this.#socket.writableLength === 0;
    if (reusable && sent && this.keepAliveMs > 0 && this.usable) this.#owner.freed(this);
    else this.#socket.destroy();
    exchange?.onEnd();
  }

  #open({ secure, hostname, port, certificateAuthorities, lookup }: Destination): Socket {
    const address = {
      host: hostname,
      port,
      ...(lookup ? { lookup } : {}),
      onread: { buffer: READ_BUFFER, callback: (length: number) => this.#onBytes(length) },
    };
    if (!secure) return net.connect(address);
    const { session } = this.#owner;
    const options: tls.ConnectionOptions = {
      ...address,
      ALPNProtocols: ['http/1.1'],
      ...(net.isIP(hostname) === 0 ? { servername: hostname } : {}),
      ...(certificateAuthorities ? { ca: certificateAuthorities } : {}),
      ...(session ? { session } : {}),
    };
    return tls.connect(options).on('session', (newer: Buffer) => {
      this.#owner.session = newer;
    });
  }

  #onReady(): void {
    this.#ready = true;
    this.#send();
  }

  #send(): void {
    const order = this.#order as Order;
    this.#order = undefined;
    this.#exchange?.onSent();
    const { head, body, bodyBytes } = order;
    const socket = this.#socket;
    if (body === undefined) {
      socket.write(head, 'latin1');
    } else if (typeof body === 'string' && bodyBytes === body.length) {
      // As many bytes as characters: the text is ASCII, and goes out with its head as one.
      socket.write(head + body, 'latin1');
    } else {
      socket.cork();
      socket.write(head, 'latin1');
      if (isWhole(body)) socket.write(body);
      else void this.#upload(body, bodyBytes);
      socket.uncork();
    }
  }

  async #upload(body: AsyncIterable<Uint8Array>, bodyBytes: number | undefined): Promise<void> {
    const socket = this.#socket;
    const chunked = bodyBytes === undefined;
    let sentBytes = 0;
    this.#uploading = true;
    try {
      for await (const piece of body) {
        if (socket.destroyed) return;
        // An empty chunk would be the end of all.
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

  #onBytes(length: number): boolean {
    try {
      // Nobody waits for them: they cannot be an answer.
      if (!this.#exchange) throw new Error('bytes without a call');
      this.#reader.read(READ_BUFFER.subarray(0, length));
    } catch (error) {
      this.drop(error as Error);
    }
    return !this.#paused;
  }

  /** The provider sends no more. */
  #onEnd(): void {
    if (this.#exchange && this.#reader.closed()) this.end(false);
    else this.#socket.destroy();
  }

  #onClose(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.onError(this.#error ?? closedByProvider());
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

function closedByProvider(): Error {
  return Object.assign(new Error('connection closed'), { code: 'CLOSED_BY_PROVIDER' });
}
