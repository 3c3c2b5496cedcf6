/**
 * HTTP to providers. Pools live as long as the process (field fault 54: evicting a client in use breaks its streams) and
 * have no limits of their own (fault 56): every limit is the caller's and is kept by the sweep.
 */
import {
  type ClientPool,
  ConnectionPool,
  type Connector,
  type Destination,
  destinationOf,
  NodePool,
} from '#http-client';
import type { Clock } from '../../core/clock.ts';
import { DeadlineSweep } from './deadline-sweep.ts';
import { Exchange } from './exchange.ts';
import { transportFailure } from './name-failure.ts';
import type { UpstreamCall, UpstreamReply, UpstreamTransport } from './port.ts';

/** Whose client is used: ours (`packages/http-client`) or Node's own. */
export type UpstreamClient = 'own' | 'node';

export interface TransportOptions {
  clock: Clock;
  log?: { warn(detail: object, message: string): void };
  /** Sockets per provider. Calls beyond it wait inside their connect limit. */
  maxConnections?: number;
  client?: UpstreamClient;
  /** Opens connections in another way than directly, for instance through a proxy. */
  connect?: Connector;
  /** Extra trusted certificate authorities (PEM), for providers inside a company. */
  certificateAuthorities?: string[];
}

export interface TransportStats {
  running: number;
  pools: { pool: string; origin: string; connected: number; running: number; queued: number }[];
}

/** As many as requests may run at once by default: every slow stream needs a connection of its own. */
const DEFAULT_MAX_CONNECTIONS = 8_000;

interface ProviderPool {
  origin: string;
  /** Without a name and password that the address may have. */
  host: string;
  connections: ClientPool;
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
    const { url, cancellation } = call;
    const pathAt = url.indexOf('/', url.indexOf('://') + 3);
    const pool = this.#poolFor(call.pool, pathAt < 0 ? url : url.slice(0, pathAt));
    const host = pool?.host ?? 'an invalid address';
    if (cancellation?.cancelled) {
      const message = `${host}: aborted: ${cancellation.reason}`;
      return Promise.reject(transportFailure('truncated', 'aborted', message, 'connect'));
    }
    return new Promise((resolve, reject) => {
      const startedMs = this.#options.clock.monotonicMs();
      const exchange = new Exchange(call, host, this.#sweep, startedMs, { resolve, reject });
      if (pool) pool.connections.dispatch(call, pathAt < 0 ? '/' : url.slice(pathAt), exchange);
      else exchange.onError(fault('INVALID_CALL'));
    });
  }

  stats(): TransportStats {
    const pools = [...this.#pools].map(([pool, { origin, connections }]) => ({ pool, origin, ...connections.stats() }));
    return { running: this.#sweep.size, pools };
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map(({ connections }) => connections.destroy(fault('SHUTDOWN'))));
  }

  /** Undefined where the origin is not one of HTTP. */
  #poolFor(name: string, origin: string): ProviderPool | undefined {
    const known = this.#pools.get(name);
    if (known?.origin === origin) return known;
    const pool = this.#openPool(origin);
    if (!pool) return undefined;
    this.#pools.set(name, pool);
    // The operator changed the provider: calls on the old pool finish there, then it goes.
    known?.connections.close();
    return pool;
  }

  #openPool(origin: string): ProviderPool | undefined {
    const address = URL.canParse(origin) ? new URL(origin) : undefined;
    if (!address || !/^https?:$/.test(address.protocol)) return undefined;
    const { client, certificateAuthorities, connect, maxConnections = DEFAULT_MAX_CONNECTIONS } = this.#options;
    const destination = { ...destinationOf(address), certificateAuthorities, connect };
    return { origin, host: address.host, connections: openPool(client, destination, maxConnections) };
  }
}

export function openPool(
  client: UpstreamClient | undefined,
  destination: Destination,
  maxConnections: number,
): ClientPool {
  return client === 'node'
    ? new NodePool(destination, maxConnections)
    : new ConnectionPool(destination, maxConnections);
}

function fault(code: 'INVALID_CALL' | 'SHUTDOWN'): Error {
  return Object.assign(new Error(code), { code });
}

export function createTransport(options: TransportOptions): UpstreamTransport & { stats(): TransportStats } {
  return new HttpTransport(options);
}
