/**
 * The addresses that carry nearly all traffic are answered without the web framework: its routing, hooks and request objects
 * cost a third of what Node's own server costs. Whatever is not plain (a query, a trailing slash, a body of unknown or
 * forbidden size) takes the ordinary way, where the same endpoints are registered too and every fault is explained.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Answer, Call } from '../gateway/index.ts';
import type { Endpoint } from '../keys/index.ts';
import type { ClientCodec } from '../protocols/index.ts';
import { answerArrival, type Serving, serve } from './serve.ts';

type Work = (call: Call) => Promise<Answer>;
type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export class DirectLane {
  readonly #app: FastifyInstance;
  readonly #serving: Serving;
  readonly #maxBodyBytes: number;
  readonly #posts = new Map<string, Serve>();

  constructor(app: FastifyInstance, serving: Serving, maxBodyBytes: number) {
    this.#app = app;
    this.#serving = serving;
    this.#maxBodyBytes = maxBodyBytes;
    const [framework] = app.server.listeners('request') as Serve[];
    if (!framework) throw new Error('the web server has no handler to stand before');
    app.server.removeAllListeners('request');
    app.server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      const direct = incoming.method === 'POST' ? this.#posts.get(incoming.url ?? '') : undefined;
      if (direct && this.#isPlain(incoming)) direct(incoming, outgoing);
      else framework(incoming, outgoing);
    });
  }

  /** Registers a model endpoint on both ways. */
  post(path: string, endpoint: Endpoint, style: ClientCodec, work: Work): void {
    this.#app.post(path, serve(this.#serving, endpoint, style, work));
    this.#posts.set(path, (incoming, outgoing) => {
      readWhole(incoming, (body) => {
        answerArrival(this.#serving, { incoming, outgoing, endpoint, body }, style, work).catch((error: unknown) => {
          // Not even an error could be written.
          this.#serving.gw.log.error({ err: error }, 'a request was left without an answer');
          outgoing.destroy();
        });
      });
    });
  }

  /** Under overload not even the body is read; the ordinary way says so. */
  #isPlain({ headers }: IncomingMessage): boolean {
    const length = Number(headers['content-length']);
    return length <= this.#maxBodyBytes && headers.expect === undefined && !this.#serving.turnedAway();
  }
}

/** A sender that breaks off is never heard of again, and nothing waits for it. */
function readWhole(incoming: IncomingMessage, done: (body: Uint8Array) => void): void {
  const pieces: Uint8Array[] = [];
  incoming.on('data', (piece: Uint8Array) => pieces.push(piece));
  incoming.on('end', () => {
    const [only] = pieces;
    done(only && pieces.length === 1 ? only : Buffer.concat(pieces));
  });
}
