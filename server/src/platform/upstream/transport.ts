/**
 * HTTP to providers. Pools live as long as the process (field fault 54: evicting a client in use breaks its streams) and
 * undici's own 300 s limits are off (fault 56): every limit is the caller's and is kept by the sweep.
 */
import { type Dispatcher, Pool } from 'undici';
import type { Clock } from '../../core/clock.ts';
import { DeadlineSweep } from './deadline-sweep.ts';
import { Exchange } from './exchange.ts';
import { nameFailure, transportFailure } from './name-failure.ts';
import { openOneSocketClient } from './one-socket-client.ts';
import type { UpstreamCall, UpstreamReply, UpstreamTransport } from './port.ts';

export interface TransportOptions {
  clock: Clock;
  log?: { warn(detail: object, message: string): void };
  /** Sockets per provider. Calls beyond it wait inside their connect limit. */
  maxConnections?: number;
  /** Extra trusted certificate authorities (PEM), for providers inside a company. */
  certificateAuthorities?: string[];
}

export interface TransportStats {
  running: number;
  pools: { pool: string; origin: string; connected: number; running: number; queued: number }[];
}

/** As many as requests may run at once by default: every slow stream needs a connection of its own. */
const DEFAULT_MAX_CONNECTIONS = 8_000;
const MAX_HEADER_BYTES = 64 * 1024;

interface ProviderPool {
  origin: string;
  connectMs: number;
  dispatcher: Pool;
}

class HttpTransport implements UpstreamTransport {
  readonly #options: TransportOptions;
  readonly #sweep: DeadlineSweep;
  readonly #pools = new Map<string, ProviderPool>();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#sweep = new DeadlineSweep(options.clock);
  }

  send(call: UpstreamCall): Promise<UpstreamReply> {
    const pathAt = call.url.indexOf('/', call.url.indexOf('://') + 3);
    const origin = pathAt < 0 ? call.url : call.url.slice(0, pathAt);
    const path = pathAt < 0 ? '/' : call.url.slice(pathAt);
    const host = origin.slice(origin.indexOf('://') + 3);
    if (call.cancellation?.cancelled) {
      const message = `${host}: aborted: ${call.cancellation.reason}`;
      return Promise.reject(transportFailure('truncated', 'aborted', message, 'connect'));
    }
    return new Promise((resolve, reject) => {
      const startedMs = this.#options.clock.monotonicMs();
      const exchange = new Exchange(call, host, this.#sweep, startedMs, { resolve, reject });
      try {
        this.#poolFor(call, origin).dispatch(
          { path, method: call.method, headers: call.headers, body: call.body ?? null } as Dispatcher.DispatchOptions,
          exchange,
        );
      } catch (error) {
        exchange.onError(nameFailure(error, 'connect', host));
      }
    });
  }

  stats(): TransportStats {
    const pools = [...this.#pools].map(([pool, { origin, dispatcher }]) => {
      const { connected, running, queued } = dispatcher.stats;
      return { pool, origin, connected, running, queued };
    });
    return { running: this.#sweep.size, pools };
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map(({ dispatcher }) => dispatcher.destroy()));
  }

  #poolFor(call: UpstreamCall, origin: string): Pool {
    const known = this.#pools.get(call.pool);
    if (known && known.origin === origin && known.connectMs === call.connectMs) return known.dispatcher;
    const dispatcher = this.#openPool(origin, call.connectMs);
    this.#pools.set(call.pool, { origin, connectMs: call.connectMs, dispatcher });
    // The operator changed the provider: calls on the old pool finish there, then it goes.
    known?.dispatcher.close().catch((error: unknown) => {
      this.#options.log?.warn({ pool: call.pool, error: String(error) }, 'a replaced connection pool did not close');
    });
    return dispatcher;
  }

  #openPool(origin: string, connectMs: number): Pool {
    const { certificateAuthorities, maxConnections } = this.#options;
    return new Pool(origin, {
      factory: openOneSocketClient,
      connections: maxConnections ?? DEFAULT_MAX_CONNECTIONS,
      // One call per connection, on HTTP/2 too: streams of one connection share a flow-control window, so that one slow
      // reader would stall its neighbours. HTTP/2 still pays: an aborted stream leaves its TLS connection usable.
      pipelining: 1,
      allowH2: origin.startsWith('https:'),
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      connect: { timeout: connectMs, ...(certificateAuthorities ? { ca: certificateAuthorities } : {}) },
    });
  }
}

export function createTransport(options: TransportOptions): UpstreamTransport & { stats(): TransportStats } {
  return new HttpTransport(options);
}
