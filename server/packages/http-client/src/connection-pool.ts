/**
 * The connections to one destination. Calls beyond the limit wait in a queue; each caller decides how long, and then
 * reports `done`.
 */
import { type AnswerHandler, type ClientPool, invalidCall, type OutgoingCall, type PoolStats } from './call.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import type { Destination } from './destination.ts';
import { type WrittenCall, writtenCall } from './written-call.ts';

interface Waiting {
  handler: AnswerHandler;
  written: WrittenCall;
}

const SWEEP_MS = 500;

export class ConnectionPool implements ClientPool, ConnectionOwner {
  session: Buffer | undefined;
  readonly #destination: Destination;
  readonly #maxConnections: number;
  readonly #all = new Set<Connection>();
  /**
   * Used from the end, so the connection used last is used first and those that are not needed reach their idle limit and close.
   */
  #idle: Connection[] = [];
  /**
   * Connections whose call ended in this turn of the event loop. They carry another call only in the next turn: by then a server
   * that closed without announcing it has been noticed.
   */
  #resting: Connection[] = [];
  #waiting: Waiting[] = [];
  #closing = false;
  #emptied: (() => void) | undefined;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(destination: Destination, maxConnections: number) {
    this.#destination = destination;
    this.#maxConnections = maxConnections;
  }

  dispatch(call: OutgoingCall, path: string, handler: AnswerHandler): void {
    const written = writtenCall(call, this.#destination.host, path);
    if (!written) {
      handler.onError(invalidCall());
      return;
    }
    const connection = this.#nextIdle() ?? this.#another();
    if (connection) connection.carry(handler, written);
    else this.#waiting.push({ handler, written });
  }

  stats(): PoolStats {
    const all = [...this.#all];
    return {
      connected: all.filter(({ ready }) => ready).length,
      running: all.filter(({ busy }) => busy).length,
      queued: this.#waiting.filter(({ handler }) => !handler.done).length,
    };
  }

  close(): void {
    this.#closing = true;
    for (const connection of this.#idle) connection.drop();
    this.#idle = [];
  }

  async destroy(reason: Error): Promise<void> {
    this.close();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { handler } of waiting) handler.onError(reason);
    for (const connection of this.#all) connection.drop(reason);
    if (this.#all.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
  }

  freed(connection: Connection): void {
    if (this.#resting.push(connection) === 1) setImmediate(this.#useRested);
  }

  gone(connection: Connection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#serveWaiting();
    if (this.#all.size === 0) this.#emptied?.();
  }

  readonly #useRested = (): void => {
    const rested = this.#resting;
    this.#resting = [];
    for (const connection of rested) {
      // The server closed the connection while it rested.
      if (!connection.usable) continue;
      const next = this.#nextWaiting();
      if (next) connection.carry(next.handler, next.written);
      else if (this.#closing) connection.drop();
      else this.#keep(connection);
    }
    this.#serveWaiting();
  };

  /** Opens connections for waiting calls, as long as the limit allows more. */
  #serveWaiting(): void {
    while (this.#waiting.length > this.#resting.length && this.#all.size < this.#maxConnections) {
      const next = this.#nextWaiting();
      if (!next) return;
      this.#open().carry(next.handler, next.written);
    }
  }

  #nextIdle(): Connection | undefined {
    let connection = this.#idle.pop();
    // A connection that is just closing is still on the list.
    while (connection && !connection.usable) connection = this.#idle.pop();
    return connection;
  }

  /** A new connection; undefined when a resting one will serve the call or the limit is reached. */
  #another(): Connection | undefined {
    if (this.#resting.length > this.#waiting.length || this.#all.size >= this.#maxConnections) return undefined;
    return this.#open();
  }

  #open(): Connection {
    const connection = new Connection(this.#destination, this);
    this.#all.add(connection);
    return connection;
  }

  #nextWaiting(): Waiting | undefined {
    for (;;) {
      const next = this.#waiting.shift();
      // A call whose caller gave up while it waited is skipped.
      if (!next?.handler.done) return next;
    }
  }

  #keep(connection: Connection): void {
    connection.idleMs = 0;
    this.#idle.push(connection);
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  #sweep(): void {
    for (const connection of [...this.#idle]) {
      connection.idleMs += SWEEP_MS;
      if (connection.idleMs < connection.keepAliveMs) continue;
      this.#idle.splice(this.#idle.indexOf(connection), 1);
      connection.drop();
    }
    if (this.#idle.length > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}
