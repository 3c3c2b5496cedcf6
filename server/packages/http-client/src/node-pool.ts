/**
 * The same calls through Node's own client (`node:http`): the way without our reader, for whoever switches it off. Slower, and
 * read by the parser that the rest of the world uses.
 */
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import {
  type AnswerHead,
  type AnswerTaker,
  type Carrier,
  type ClientPool,
  invalidCall,
  type OutgoingCall,
  type PoolStats,
} from './call.ts';
import { type Destination, openDirect, secureOver } from './destination.ts';
import { isWhole, type Order, orderOf } from './order.ts';
import { closedByServer, MalformedResponse, MOST_HEAD_BYTES, MOST_INTERIM } from './refusals.ts';

/** Between two calls, as the other pool does. */
const KEEP_ALIVE_MS = 4_000;
const PROBE_AFTER_MS = 60_000;
/** A server that keeps a connection no longer than this may close it while the next call is on its way. */
const SHORT_KEEP_ALIVE = /(?:^|[\s,])timeout=[01](?:\D|$)/i;

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
    this.#agent = new Agent({
      keepAlive: true,
      timeout: KEEP_ALIVE_MS,
      maxSockets: maxConnections,
      maxFreeSockets: maxConnections,
      scheduling: 'lifo',
    });
    Object.assign(this.#agent, { createConnection: (_options: unknown, opened: Opened) => this.#open(opened) });
  }

  dispatch(call: OutgoingCall, path: string, taker: AnswerTaker): void {
    const order = orderOf(call, this.#destination.host, path);
    if (!order) {
      taker.onError(invalidCall());
      return;
    }
    const { hostname, port } = this.#destination;
    const outgoing = request({
      agent: this.#agent,
      host: hostname,
      port,
      path,
      method: call.method,
      headers: fieldsOf(order.head),
      maxHeaderSize: MOST_HEAD_BYTES,
    });
    const running = new NodeCall(outgoing, taker, () => this.#over(running));
    this.#running.add(running);
    outgoing.once('socket', (socket) => {
      this.#idle.delete(socket);
      if (this.#ready.has(socket)) running.sent();
      else socket.once(this.#destination.secure ? 'secureConnect' : 'connect', () => running.sent());
    });
    running.send(order);
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
    // The agent asks again for calls in line, also for those that have failed by now.
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
    // Nobody asked: these bytes must not become the beginning of the next answer.
    socket.on('data', () => {
      if (this.#idle.has(socket)) socket.destroy();
    });
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.#emptied?.();
    });
  }
}

class NodeCall implements Carrier {
  assigned = false;
  readonly #outgoing: ClientRequest;
  readonly #taker: AnswerTaker;
  readonly #onOver: () => void;
  #reply: IncomingMessage | undefined;
  #uploading = false;
  #interim = 0;
  #over = false;

  constructor(outgoing: ClientRequest, taker: AnswerTaker, onOver: () => void) {
    this.#outgoing = outgoing;
    this.#taker = taker;
    this.#onOver = onOver;
    taker.onAssigned(this);
    outgoing.once('socket', () => {
      this.assigned = true;
    });
    outgoing.on('information', () => {
      if (++this.#interim > MOST_INTERIM) this.fail(new MalformedResponse('MALFORMED_HTTP'));
    });
    outgoing.once('upgrade', () => this.fail(new MalformedResponse('MALFORMED_HTTP')));
    outgoing.once('response', (reply) => this.#onResponse(reply));
    outgoing.on('error', (error) => this.fail(named(error)));
    outgoing.once('close', () => {
      if (!this.#reply) this.fail(closedByServer());
    });
  }

  send({ body, bodyBytes }: Order): void {
    if (body === undefined || isWhole(body)) this.#outgoing.end(body);
    else void this.#upload(body, bodyBytes);
  }

  sent(): void {
    if (!this.#over) this.#taker.onSent();
  }

  resume(): void {
    this.#reply?.resume();
  }

  drop(): void {
    this.#finish();
    this.#outgoing.destroy();
  }

  fail(error: Error): void {
    if (this.#over) return;
    this.drop();
    this.#taker.onError(error);
  }

  #onResponse(reply: IncomingMessage): void {
    this.#reply = reply;
    reply.on('error', (error) => this.fail(named(error)));
    if (this.#over) return;
    if (SHORT_KEEP_ALIVE.test(String(reply.headers['keep-alive']))) this.#outgoing.shouldKeepAlive = false;
    this.#taker.onHead(new NodeHead(reply));
    reply.on('data', (piece: Buffer) => {
      if (!this.#over && !this.#taker.onBody(piece)) reply.pause();
    });
    reply.once('end', () => {
      if (this.#over) return;
      this.#finish();
      // The rest of the body would follow the answer to it.
      if (this.#uploading) this.#outgoing.destroy();
      this.#taker.onEnd();
    });
    reply.once('close', () => this.fail(closedByServer()));
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#onOver();
  }

  async #upload(body: AsyncIterable<Uint8Array>, bodyBytes: number | undefined): Promise<void> {
    const outgoing = this.#outgoing;
    let sentBytes = 0;
    this.#uploading = true;
    try {
      for await (const piece of body) {
        if (outgoing.destroyed) return;
        if (piece.byteLength === 0) continue;
        sentBytes += piece.byteLength;
        if (!outgoing.write(piece)) await drained(outgoing);
      }
      if (bodyBytes !== undefined && sentBytes !== bodyBytes) throw new Error('the body is not as long as announced');
      this.#uploading = false;
      outgoing.end();
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

class NodeHead implements AnswerHead {
  readonly status: number;
  readonly #raw: readonly string[];

  constructor(reply: IncomingMessage) {
    this.status = reply.statusCode ?? 0;
    this.#raw = reply.rawHeaders;
  }

  header(name: string): string | undefined {
    return this.headers()[name];
  }

  headers(): Record<string, string> {
    const headers: Record<string, string> = Object.create(null);
    for (let at = 0; at + 1 < this.#raw.length; at += 2) {
      const name = (this.#raw[at] as string).toLowerCase();
      const value = this.#raw[at + 1] as string;
      const earlier = headers[name];
      headers[name] = earlier === undefined ? value : `${earlier}, ${value}`;
    }
    return headers;
  }
}

/** Names and values in turn, as Node takes them when it is to add none of its own. */
function fieldsOf(head: string): string[] {
  return head
    .split('\r\n')
    .slice(1, -2)
    .flatMap((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}

/** Node's own errors in the words of this package; those of sockets and TLS stay as they are. */
function named(error: NodeJS.ErrnoException): Error {
  if (error.code === 'HPE_HEADER_OVERFLOW') return new MalformedResponse('HEAD_TOO_LARGE');
  if (error.code?.startsWith('HPE_')) return new MalformedResponse('MALFORMED_HTTP');
  // "socket hang up" and "aborted": the server closed. A reset has the system call it came from.
  return error.code === 'ECONNRESET' && error.syscall === undefined ? closedByServer() : error;
}

function drained(outgoing: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    outgoing.on('drain', done).on('close', done);
  });
}
