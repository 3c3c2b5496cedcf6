/**
 * A fast path stands before the connection handler of a Node server. Plain requests are read here and answered by one write; the first
 * request of a connection that is not plain takes the connection, untouched, to the handler that was there before.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type ConnectionTimes, type FastPathService, PlainConnection, type PlainRequest } from './plain-connection.ts';
import { type PlainHead, WantedHeaders } from './plain-head.ts';
import type { PlainReply } from './plain-reply.ts';
import { ReadMemory } from './read-memory.ts';

export interface FastPathOptions<Name extends string> {
  server: Server;
  /** Lower-case names of the headers a request needs; the fast path keeps no others. */
  headers: readonly Name[];
  times: ConnectionTimes;
  /** Milliseconds since 1970, for the Date header. */
  now(): number;
  /** False sends the request, and with it its connection, to Node's server. Asked before the body is read. */
  accepts(head: PlainHead<Name>): boolean;
  /** Gets every request that was taken, with its whole body. Must end the reply or destroy it. */
  answer(request: PlainRequest<Name>, reply: PlainReply): void;
}

/** Senders that are too slow are looked for at least this often. */
const SWEEP_MS = 5_000;

export class FastPath<Name extends string> implements FastPathService<Name> {
  readonly wanted: WantedHeaders<Name>;
  readonly #options: FastPathOptions<Name>;
  readonly #connections = new Set<PlainConnection<Name>>();
  readonly #ordinary: (socket: Socket) => void;
  readonly #readMemory: ReadMemory;
  readonly #sweeper: NodeJS.Timeout;
  readonly #date = { second: -1, text: '' };

  constructor(options: FastPathOptions<Name>) {
    const { server, headers, times } = options;
    this.#options = options;
    this.wanted = new WantedHeaders(headers);
    const [ordinary] = server.listeners('connection') as ((socket: Socket) => void)[];
    if (!ordinary) throw new Error('the server has no handler to stand before');
    this.#ordinary = ordinary.bind(server);
    this.#readMemory = new ReadMemory(server);
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => this.#connections.add(new PlainConnection(socket, this)));
    const everyMs = Math.min(SWEEP_MS, times.requestMs / 2);
    this.#sweeper = setInterval(() => {
      for (const connection of this.#connections) connection.sweep(everyMs, times);
    }, everyMs);
    this.#sweeper.unref();
  }

  /** No new request is taken; those being answered are finished. */
  close(): void {
    clearInterval(this.#sweeper);
    for (const connection of this.#connections) connection.close();
  }

  /** Every connection ends now, whatever runs on it. */
  cut(): void {
    for (const connection of this.#connections) connection.cut();
  }

  accepts(head: PlainHead<Name>): boolean {
    return this.#options.accepts(head);
  }

  answer(request: PlainRequest<Name>, reply: PlainReply): void {
    this.#options.answer(request, reply);
  }

  handOver(socket: Socket): void {
    this.#ordinary(socket);
    // Node's server now reads from the handle beneath this socket, so its pauses would not stop a read that the socket has
    // already begun, and a body that nobody reads would pile up in memory. A listener for data makes it read through the socket.
    this.#readMemory.watch(socket);
  }

  date(): string {
    const nowMs = this.#options.now();
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#date.second) {
      this.#date.second = second;
      this.#date.text = new Date(nowMs).toUTCString();
    }
    return this.#date.text;
  }

  ended(connection: PlainConnection<Name>): void {
    this.#connections.delete(connection);
  }
}
