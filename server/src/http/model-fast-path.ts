/**
 * The addresses that carry nearly all traffic are answered without Node's request and response objects and without the web
 * framework (`packages/http-fast-path`, ADR 0011). Whatever the fast path leaves (a query, a body of unknown or forbidden size, an odd
 * header) takes the ordinary way, where the same endpoints are registered and every fault is explained. With the fast path switched
 * off that is the way of every request.
 */

import type { FastifyInstance } from 'fastify';
import { FastPath, type PlainReply, type PlainRequest } from '#http-fast-path';
import type { Answer } from '../core/answer.ts';
import { CALL_HEADERS, type Call, LARGE_BODY_BYTES } from '../gateway/index.ts';
import type { Endpoint } from '../keys/index.ts';
import type { ClientCodec } from '../protocols/index.ts';
import type { ServerLimits } from './app.ts';
import { REGISTERED } from './routes/register.ts';
import { answerArrival, type Serving, serve } from './serve.ts';

type Work = (call: Call) => Promise<Answer>;
type Post = (request: PlainRequest<(typeof CALL_HEADERS)[number]>, reply: PlainReply) => void;

export interface FastPathTerms extends ServerLimits {
  /** When it is false, every request takes the ordinary way. */
  fastPath: boolean;
}

export class ModelFastPath {
  readonly #app: FastifyInstance;
  readonly #serving: Serving;
  readonly #posts = new Map<string, Post>();
  readonly #fastPath: FastPath<(typeof CALL_HEADERS)[number]> | undefined;

  constructor(app: FastifyInstance, serving: Serving, { fastPath, bodyBytes, ...times }: FastPathTerms) {
    this.#app = app;
    this.#serving = serving;
    if (!fastPath) return;
    const most = Math.min(bodyBytes, LARGE_BODY_BYTES);
    this.#fastPath = new FastPath({
      server: app.server,
      headers: CALL_HEADERS,
      times,
      now: () => serving.gw.clock.now(),
      // The web framework answers in three cases: under overload, where not even the body is read; for a large body,
      // which is read only for a known caller; and at shutdown, where the answer closes the connection.
      accepts: (head) =>
        this.#posts.has(head.path) && head.bodyBytes <= most && !serving.turnedAway() && !serving.parting(),
      answer: (request, reply) => this.#posts.get(request.head.path)?.(request, reply),
    });
    app.addHook('preClose', async () => this.#fastPath?.close());
  }

  /** Registers a model endpoint on the fast path and in the web framework. */
  post(path: string, endpoint: Endpoint, codec: ClientCodec, work: Work): void {
    this.#app.post(path, { config: REGISTERED }, serve(this.#serving, endpoint, codec, work));
    this.#posts.set(path, ({ head, body, socket }, outgoing) => {
      const arrival = { incoming: { headers: head.headers, socket }, outgoing, endpoint, body };
      answerArrival(this.#serving, arrival, codec, work).catch((error: unknown) => {
        // Not even an error could be written.
        this.#serving.gw.log.error({ err: error }, 'a request was left without an answer');
        outgoing.destroy();
      });
    });
  }

  /** Every connection of the fast path ends now, whatever runs on it. */
  cut(): void {
    this.#fastPath?.cut();
  }
}
