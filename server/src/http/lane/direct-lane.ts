/**
 * The addresses that carry nearly all traffic are answered without Node's request and response objects and without the web
 * framework: a plain request is read from its connection and answered by one write, for a third of the cost. Whatever is not
 * plain (a query, a body of unknown or forbidden size, an odd header) takes the ordinary way, where the same endpoints are
 * registered too and every fault is explained. ADR 0011.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Answer } from '../../core/answer.ts';
import type { Call } from '../../gateway/index.ts';
import type { Endpoint } from '../../keys/index.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import type { ServerLimits } from '../app.ts';
import { answerArrival, type Serving, serve } from '../serve.ts';
import { type LaneService, PlainConnection, type PlainRequest } from './plain-connection.ts';
import type { PlainHead } from './plain-head.ts';
import type { PlainReply } from './plain-reply.ts';

type Work = (call: Call) => Promise<Answer>;
type Post = (request: PlainRequest, reply: PlainReply) => void;

export class DirectLane implements LaneService {
  readonly #app: FastifyInstance;
  readonly #serving: Serving;
  readonly #limits: ServerLimits;
  readonly #posts = new Map<string, Post>();
  readonly #connections = new Set<PlainConnection>();
  readonly #ordinary: (socket: Socket) => void;
  readonly #date = { second: -1, text: '' };

  constructor(app: FastifyInstance, serving: Serving, limits: ServerLimits) {
    this.#app = app;
    this.#serving = serving;
    this.#limits = limits;
    const [ordinary] = app.server.listeners('connection') as ((socket: Socket) => void)[];
    if (!ordinary) throw new Error('the web server has no handler to stand before');
    this.#ordinary = ordinary.bind(app.server);
    app.server.removeAllListeners('connection');
    app.server.on('connection', (socket: Socket) => this.#connections.add(new PlainConnection(socket, this)));
    this.#sweepRegularly();
    app.addHook('preClose', async () => {
      for (const connection of this.#connections) connection.close();
    });
  }

  /** Registers a model endpoint on both ways. */
  post(path: string, endpoint: Endpoint, style: ClientCodec, work: Work): void {
    this.#app.post(path, serve(this.#serving, endpoint, style, work));
    this.#posts.set(path, ({ head, body, socket }, outgoing) => {
      const arrival = { incoming: { headers: head.headers, socket }, outgoing, endpoint, body };
      answerArrival(this.#serving, arrival, style, work).catch((error: unknown) => {
        // Not even an error could be written.
        this.#serving.gw.log.error({ err: error }, 'a request was left without an answer');
        outgoing.destroy();
      });
    });
  }

  /** Every connection ends now, whatever runs on it. */
  cut(): void {
    for (const connection of this.#connections) connection.cut();
  }

  /** Under overload not even the body is read; the ordinary way says so. */
  takes({ path, bodyBytes }: PlainHead): boolean {
    return this.#posts.has(path) && bodyBytes <= this.#limits.bodyBytes && !this.#serving.turnedAway();
  }

  answer(request: PlainRequest, reply: PlainReply): void {
    this.#posts.get(request.head.path)?.(request, reply);
  }

  handOver(socket: Socket): void {
    this.#ordinary(socket);
  }

  date(): string {
    const nowMs = this.#serving.gw.clock.now();
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#date.second) {
      this.#date.second = second;
      this.#date.text = new Date(nowMs).toUTCString();
    }
    return this.#date.text;
  }

  ended(connection: PlainConnection): void {
    this.#connections.delete(connection);
  }

  #sweepRegularly(): void {
    const everyMs = Math.min(5_000, this.#limits.requestMs / 2);
    const timer = setInterval(() => {
      for (const connection of this.#connections) connection.sweep(everyMs, this.#limits);
    }, everyMs);
    timer.unref();
    this.#app.addHook('onClose', async () => clearInterval(timer));
  }
}
