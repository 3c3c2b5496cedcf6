/**
 * One line for every answered request, for operators who want it (DARGAH_ACCESS_LOG=on). It says who asked for what and
 * how it ended; never a text, a key, a query or a path parameter, which may be somebody's secret link.
 */
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { toTomanText } from '../core/money.ts';
import type { Call } from '../gateway/index.ts';
import type { Log } from '../platform/log.ts';
import type { Reply } from './reply.ts';
import { routeOf } from './routes/areas.ts';

const MESSAGE = 'answered';

export class AccessLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #written = new WeakSet<object>();

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Writes the line of a call to a public endpoint. */
  answered(call: Call, outgoing: Reply, status: number): void {
    this.#written.add(outgoing);
    const { key, model, cost, state } = call.metadata;
    this.#log.info(
      {
        requestId: call.id,
        endpoint: call.endpoint,
        status,
        state,
        account: key?.account.id,
        key: key?.id,
        model,
        cost: cost === undefined ? undefined : toTomanText(cost),
        client: call.ip,
        ms: Math.round(this.#clock.monotonicMs() - call.startedMs),
      },
      MESSAGE,
    );
  }

  /** Writes the lines of pages, consoles and everything else that the web framework answers. */
  watch(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      if (!this.#written.has(reply.raw)) {
        const route = routeOf(request).path ?? 'unknown address';
        const fields = { method: request.method, route, status: reply.statusCode };
        this.#log.info({ ...fields, ms: Math.round(reply.elapsedTime) }, MESSAGE);
      }
      done();
    });
  }
}
