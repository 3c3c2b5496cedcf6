/**
 * The same calls through Node's own client (`node:http`), for operators who switch ours off. It is slower, and its answers are
 * read by the parser that most programs on Node use.
 */
import type { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { type AnswerHandler, type ClientPool, invalidCall, type OutgoingCall, type PoolStats } from './call.ts';
import { type Destination, openDirect, secureOver } from './destination.ts';
import { NodeCall } from './node-call.ts';
import { MAX_HEAD_BYTES } from './refusals.ts';
import { writtenCall } from './written-call.ts';

/** Not imported: see `docs/performance.md`, "Starts". */
const http = process.getBuiltinModule('node:http');

/** How long a connection is kept between two calls; the same as in the other pool. */
const KEEP_ALIVE_MS = 4_000;
const PROBE_AFTER_MS = 60_000;

type Opened = (error: Error | null, socket?: Socket) => void;

export class NodePool implements ClientPool {
  readonly #destination: Destination;
  readonly #agent: Agent;
  readonly #running = new Set<NodeCall>();
  readonly #sockets = new Set<Socket>();
  readonly #idle = new WeakSet<Socket>();
  readonly #ready = new WeakSet<Socket>();
  readonly #opening = new AbortController();
  #session: Buffer | undefined;
  #closing = false;
  #ended: Error | undefined;
  #emptied: (() => void) | undefined;

  constructor(destination: Destination, maxConnections: number) {
    this.#destination = destination;
    this.#agent = new http.Agent({
      keepAlive: true,
      timeout: KEEP_ALIVE_MS,
      maxSockets: maxConnections,
      maxFreeSockets: maxConnections,
      scheduling: 'lifo',
    });
    Object.assign(this.#agent, { createConnection: (_options: unknown, opened: Opened) => this.#open(opened) });
  }

  dispatch(call: OutgoingCall, path: string, handler: AnswerHandler): void {
    const written = writtenCall(call, this.#destination.host, path);
    if (!written) {
      handler.onError(invalidCall());
      return;
    }
    const { hostname, port } = this.#destination;
    const outgoing = http.request({
      agent: this.#agent,
      host: hostname,
      port,
      path,
      method: call.method,
      headers: fieldsOf(written.head),
      maxHeaderSize: MAX_HEAD_BYTES,
    });
    const running = new NodeCall(outgoing, handler, () => this.#over(running));
    this.#running.add(running);
    outgoing.once('socket', (socket) => {
      this.#idle.delete(socket);
      if (this.#ready.has(socket)) running.sent();
      else socket.once(this.#destination.secure ? 'secureConnect' : 'connect', () => running.sent());
    });
    running.send(written);
  }

  stats(): PoolStats {
    const calls = [...this.#running];
    return {
      connected: [...this.#sockets].filter((socket) => this.#ready.has(socket)).length,
      running: calls.filter(({ assigned }) => assigned).length,
      queued: calls.filter(({ assigned }) => !assigned).length,
    };
  }

  close(): void {
    this.#closing = true;
    for (const socket of this.#sockets) if (this.#idle.has(socket)) socket.destroy();
    if (this.#running.size === 0) this.#agent.destroy();
  }

  async destroy(reason: Error): Promise<void> {
    this.close();
    this.#ended = reason;
    this.#opening.abort();
    for (const call of [...this.#running]) call.fail(reason);
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#sockets.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
  }

  #over(call: NodeCall): void {
    this.#running.delete(call);
    if (this.#closing && this.#running.size === 0) this.#agent.destroy();
  }

  #open(opened: Opened): Socket | undefined {
    const destination = this.#destination;
    const { connect, secure, hostname, port } = destination;
    // Node's agent also asks for connections of calls that have failed while they waited.
    if (this.#ended) {
      queueMicrotask(() => opened(this.#ended ?? null));
      return undefined;
    }
    if (!connect) {
      const socket = openDirect(destination, { session: this.#session });
      this.#watch(socket);
      socket.once(secure ? 'secureConnect' : 'connect', () => this.#ready.add(socket));
      return socket;
    }
    connect({ hostname, port }, this.#opening.signal).then(
      (tunnel) => {
        const socket = secure ? secureOver(tunnel, destination, this.#session) : tunnel;
        this.#watch(socket);
        if (secure) socket.once('secureConnect', () => this.#ready.add(socket));
        else this.#ready.add(socket);
        opened(null, socket);
      },
      (error: Error) => opened(error),
    );
    return undefined;
  }

  #watch(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true).setKeepAlive(true, PROBE_AFTER_MS);
    socket.on('session', (newer: Buffer) => {
      this.#session = newer;
    });
    socket.on('free', () => {
      this.#idle.add(socket);
      if (this.#closing) socket.destroy();
    });
    // Bytes that come while no call runs must not become the beginning of the next answer.
    socket.on('data', () => {
      if (this.#idle.has(socket)) socket.destroy();
    });
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.#emptied?.();
    });
  }
}

/** Names and values alternate: in this form Node adds no headers of its own. */
function fieldsOf(head: string): string[] {
  return head
    .split('\r\n')
    .slice(1, -2)
    .flatMap((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}
