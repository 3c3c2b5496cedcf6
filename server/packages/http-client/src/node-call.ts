/**
 * One call through Node's own client. It sends the body as fast as the server takes it and reports the answer by the same
 * interface as the other client.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { AnswerHandler, AnswerHead, Carrier } from './call.ts';
import { closedByServer, MAX_INTERIM, MalformedResponse } from './refusals.ts';
import { isInPieces, isWhole, type WrittenCall } from './written-call.ts';

/** A server that keeps idle connections no longer than this may close one while the next call is on its way. */
const SHORT_KEEP_ALIVE = /(?:^|[\s,])timeout=[01](?:\D|$)/i;

export class NodeCall implements Carrier {
  assigned = false;
  readonly #outgoing: ClientRequest;
  readonly #handler: AnswerHandler;
  readonly #onOver: () => void;
  #reply: IncomingMessage | undefined;
  #paused = false;
  #uploading = false;
  #interim = 0;
  #over = false;

  constructor(outgoing: ClientRequest, handler: AnswerHandler, onOver: () => void) {
    this.#outgoing = outgoing;
    this.#handler = handler;
    this.#onOver = onOver;
    handler.onAssigned(this);
    outgoing.once('socket', () => {
      this.assigned = true;
    });
    outgoing.on('information', () => {
      if (++this.#interim > MAX_INTERIM) this.fail(new MalformedResponse('MALFORMED_HTTP'));
    });
    outgoing.once('upgrade', () => this.fail(new MalformedResponse('MALFORMED_HTTP')));
    outgoing.once('response', (reply) => this.#onResponse(reply));
    outgoing.on('error', (error) => this.fail(named(error)));
    outgoing.once('close', () => {
      if (!this.#reply) this.fail(closedByServer());
    });
  }

  send({ body, bodyBytes }: WrittenCall): void {
    if (body === undefined || isWhole(body)) this.#outgoing.end(body);
    else if (isInPieces(body)) this.#outgoing.end(Buffer.concat(body));
    else void this.#upload(body, bodyBytes);
  }

  sent(): void {
    if (!this.#over) this.#handler.onSent();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#readWaiting();
  }

  drop(): void {
    this.#finish();
    this.#outgoing.destroy();
  }

  fail(error: Error): void {
    if (this.#over) return;
    // What came during a pause stands before the failure.
    this.resume();
    this.drop();
    this.#handler.onError(error);
  }

  #onResponse(reply: IncomingMessage): void {
    this.#reply = reply;
    reply.on('error', (error) => this.fail(named(error)));
    if (this.#over) return;
    if (SHORT_KEEP_ALIVE.test(String(reply.headers['keep-alive']))) this.#outgoing.shouldKeepAlive = false;
    this.#handler.onHead(new NodeHead(reply));
    reply.on('readable', () => this.#readWaiting());
    reply.once('end', () => {
      if (this.#over) return;
      this.#finish();
      // The answer came before the body was sent; the connection cannot carry another call, because the rest of the body would
      // follow.
      if (this.#uploading) this.#outgoing.destroy();
      this.#handler.onEnd();
    });
    reply.once('close', () => this.fail(closedByServer()));
  }

  /** Takes what came while paused as one: `data` would give a stream that rests one piece per rest, and it would fall behind. */
  #readWaiting(): void {
    if (this.#paused || this.#over) return;
    const bytes: Buffer | null | undefined = this.#reply?.read();
    if (bytes) this.#paused = !this.#handler.onBody(bytes);
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

/** Translates Node's own errors into the codes of this package; errors of sockets and TLS stay as they are. */
function named(error: NodeJS.ErrnoException): Error {
  if (error.code === 'HPE_HEADER_OVERFLOW') return new MalformedResponse('HEAD_TOO_LARGE');
  if (error.code?.startsWith('HPE_')) return new MalformedResponse('MALFORMED_HTTP');
  // Node says "socket hang up" and "aborted" when the server closed; a reset carries the system call it came from.
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
