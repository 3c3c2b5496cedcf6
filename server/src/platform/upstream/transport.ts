/**
 * HTTP to providers. Pools live as long as the process (closing a pool that is in use would break its streams) and
 * have no limits of their own: every limit is the caller's and is kept by the sweep.
 */
import { type ClientPool, ConnectionPool, type Destination, destinationOf, NodePool } from '#http-client';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../log.ts';
import { DeadlineSweep } from './deadline-sweep.ts';
import {
  DIRECT_WAY,
  Egresses,
  type EgressHealth,
  type EgressTerms,
  type EnvironmentEgress,
  openWays,
  type Way,
} from './egress/index.ts';
import { Exchange } from './exchange.ts';
import { EGRESS_FAILURE, transportFailure } from './name-failure.ts';
import {
  type SocketCall,
  TransportError,
  type UpstreamCall,
  type UpstreamReply,
  type UpstreamSocket,
  type UpstreamTransport,
} from './port.ts';
import { ReadPacer } from './read-pacer.ts';
import { openWebSocket } from './web-socket.ts';

/** Whose client is used: ours (`packages/http-client`) or Node's own. */
export type UpstreamClient = 'own' | 'node';

export interface TransportOptions {
  clock: Clock;
  log?: Pick<Log, 'info' | 'warn'>;
  /** Sockets per provider. Calls beyond it wait inside their connect limit. */
  maxConnections?: number;
  client?: UpstreamClient;
  /** How long a paced stream rests after each read; 0, the default: not at all. */
  restMs?: number;
  /** The ways out that the environment names, for calls with `egress`. */
  environmentEgress?: EnvironmentEgress;
}

export interface TransportStats {
  running: number;
  pools: { pool: string; origin: string; connected: number; running: number; queued: number }[];
}

/** As many as requests may run at once by default: every slow stream needs a connection of its own. */
const DEFAULT_MAX_CONNECTIONS = 8_000;

const SILENT = { info: () => undefined, warn: () => undefined };

interface ProviderPool {
  origin: string;
  /** Without the name and password that the address may contain. */
  host: string;
  egressKey: string;
  /** The ways out, at least one. */
  ways: Way[];
  onlyDirect: boolean;
}

/** Failures of the call itself or of this process, which no way is to blame for. */
const OUR_OWN = new Set(['invalid_call', 'shutdown', 'no_sockets', 'aborted']);

/** Nothing was sent yet, so another way may be tried. */
function failedOnTheWay({ failure, phase }: TransportError): boolean {
  return phase === 'connect' && failure.kind === 'connect' && !OUR_OWN.has(failure.code ?? '');
}

class HttpTransport implements UpstreamTransport {
  readonly #options: TransportOptions;
  readonly #sweep: DeadlineSweep;
  readonly #pacer: ReadPacer;
  readonly #pools = new Map<string, ProviderPool>();
  readonly #egresses: Egresses;

  constructor(options: TransportOptions) {
    const { clock, log = SILENT } = options;
    this.#options = options;
    this.#sweep = new DeadlineSweep(clock);
    this.#pacer = new ReadPacer(options.restMs ?? 0);
    this.#egresses = new Egresses({ clock, log });
  }

  send(call: UpstreamCall): Promise<UpstreamReply> {
    const { url, cancellation } = call;
    const pathAt = url.indexOf('/', url.indexOf('://') + 3);
    const pool = this.#poolFor(call.pool, pathAt < 0 ? url : url.slice(0, pathAt), call.egress);
    const host = pool?.host ?? 'an invalid address';
    if (cancellation?.cancelled) {
      const message = `${host}: aborted: ${cancellation.reason}`;
      return Promise.reject(transportFailure('truncated', 'aborted', message, 'connect'));
    }
    const path = pathAt < 0 ? '/' : url.slice(pathAt);
    if (pool && !pool.onlyDirect) return this.#sendInOrder(call, pool, path);
    return this.#sendBy(pool?.ways[0], call, host, path);
  }

  async openSocket(call: SocketCall): Promise<UpstreamSocket> {
    const { origin } = new URL(call.url);
    const pool = this.#poolFor(call.pool, origin, call.egress);
    if (!pool) throw transportFailure('connect', 'invalid_call', 'the address is not one of HTTP', 'connect');
    return this.#inOrder(pool, (way) => openWebSocket(call, way), undefined);
  }

  #sendInOrder(call: UpstreamCall, pool: ProviderPool, path: string): Promise<UpstreamReply> {
    return this.#inOrder(pool, (way) => this.#sendBy(way, call, pool.host, path), call.cancellation);
  }

  /** The next way is tried only while nothing was sent: the failure is then the way's own. */
  async #inOrder<Reply>(
    { ways }: ProviderPool,
    attempt: (way: Way) => Promise<Reply>,
    cancellation: UpstreamCall['cancellation'],
  ): Promise<Reply> {
    let last: unknown;
    for (const way of this.#egresses.inOrder(ways)) {
      try {
        const reply = await attempt(way);
        this.#egresses.answered(way.health);
        return reply;
      } catch (error) {
        if (!(error instanceof TransportError) || !failedOnTheWay(error) || cancellation?.cancelled) throw error;
        const { code, message } = error.failure;
        // Failures that a proxy reported were counted when they happened; one that stayed silent is counted here.
        if (code !== EGRESS_FAILURE) this.#egresses.unreachable(way.health, message);
        last = error;
      }
    }
    throw last;
  }

  #sendBy(way: Way | undefined, call: UpstreamCall, host: string, path: string): Promise<UpstreamReply> {
    return new Promise((resolve, reject) => {
      const startedMs = this.#options.clock.monotonicMs();
      const exchange = new Exchange(call, host, this.#sweep, startedMs, { resolve, reject }, this.#pacer);
      exchange.via = way?.name;
      if (way) way.connections.dispatch(call, path, exchange);
      else exchange.onError(fault('INVALID_CALL'));
    });
  }

  egressHealth(): EgressHealth[] {
    return this.#egresses.health();
  }

  stats(): TransportStats {
    const pools = [...this.#pools].flatMap(([pool, { origin, ways }]) =>
      ways.map(({ connections }) => ({ pool, origin, ...connections.stats() })),
    );
    return { running: this.#sweep.size, pools };
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    const ways = pools.flatMap((pool) => pool.ways);
    await Promise.all(ways.map(({ connections }) => connections.destroy(fault('SHUTDOWN'))));
  }

  /** Returns undefined where the origin is not an HTTP one. */
  #poolFor(name: string, origin: string, egress: EgressTerms | undefined): ProviderPool | undefined {
    const known = this.#pools.get(name);
    if (known?.origin === origin && known.egressKey === (egress?.key ?? '')) return known;
    const pool = this.#openPool(origin, egress);
    if (!pool) return undefined;
    this.#pools.set(name, pool);
    // The operator changed the provider: running calls finish on the old pool, then it closes.
    for (const way of known?.ways ?? []) way.connections.close();
    return pool;
  }

  #openPool(origin: string, egress: EgressTerms | undefined): ProviderPool | undefined {
    const address = URL.canParse(origin) ? new URL(origin) : undefined;
    if (!address || !/^https?:$/.test(address.protocol)) return undefined;
    const { client, maxConnections = DEFAULT_MAX_CONNECTIONS } = this.#options;
    const ways = openWays(destinationOf(address), egress, {
      egresses: this.#egresses,
      environment: this.#options.environmentEgress,
      open: (way) => openPool(client, way, maxConnections),
    });
    const onlyDirect = ways.length === 1 && ways[0]?.name === DIRECT_WAY;
    return { origin, host: address.host, egressKey: egress?.key ?? '', ways, onlyDirect };
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

export function createTransport(
  options: TransportOptions,
): UpstreamTransport & { stats(): TransportStats; egressHealth(): EgressHealth[] } {
  return new HttpTransport(options);
}
