/**
 * The ways out that are in use, and how each of them does. A call names its ways in order; the first that works is taken, and
 * one that failed stands back for a while, as routes do. When all stand back they are tried all the same: refusing without a
 * try would turn a passing fault into an outage.
 */
import type { Connector } from '#http-client';
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../log.ts';
import type { Egress } from './address.ts';
import { type DialTerms, dial, EgressError } from './dial.ts';

export interface EgressHealth {
  name: string;
  state: 'ok' | 'failing';
  /** The cause of the last failure, until a connection succeeds. */
  cause: string | undefined;
  failures: number;
  /** How long the last connection through it took to open. */
  connectMs: number | undefined;
}

const FIRST_REST_MS = 2_000;
const MAX_REST_MS = 60_000;

/** How one way does: a proxy for all who use it with the same sign-in, the direct way for one host. */
export interface WayHealth {
  readonly name: string;
  failures: number;
  restUntilMs: number;
  cause: string | undefined;
  connectMs: number | undefined;
}

export function untried(name: string): WayHealth {
  return { name, failures: 0, restUntilMs: 0, cause: undefined, connectMs: undefined };
}

export class Egresses {
  readonly #known = new Map<string, WayHealth>();
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'info' | 'warn'>;

  constructor(options: { clock: Clock; log: Pick<Log, 'info' | 'warn'> }) {
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** Health is kept per password too: a wrong one must not keep away those who use the right one. */
  healthOf({ name, password }: Egress): WayHealth {
    return this.#healthOf(name, `${name} ${password}`);
  }

  healthOfDirect(hostname: string): WayHealth {
    const name = `direct to ${hostname}`;
    return this.#healthOf(name, name);
  }

  connectorFor(egress: Egress, terms: DialTerms): Connector {
    const health = this.healthOf(egress);
    return async (target, signal) => {
      const begunMs = this.#clock.monotonicMs();
      try {
        const socket = await dial(egress, target, terms, signal);
        this.answered(health);
        health.connectMs = Math.round(this.#clock.monotonicMs() - begunMs);
        return socket;
      } catch (error) {
        // A proxy that reports that the destination cannot be reached works itself.
        if (!signal.aborted && error instanceof EgressError && error.step !== 'tunnel')
          this.#failed(health, error.step, error.message);
        throw error;
      }
    };
  }

  /**
   * Call this when no connection was made in time, or when the provider's name or certificate could not be obtained
   * this way.
   */
  unreachable(health: WayHealth, cause: string): void {
    this.#failed(health, 'connect', cause);
  }

  answered(health: WayHealth): void {
    if (health.failures > 0) this.#log.info({ egress: health.name }, 'a way out works again');
    health.failures = 0;
    health.restUntilMs = 0;
  }

  /** Those that stand back come last, each group in the operator's order. */
  inOrder<Way extends { health: WayHealth }>(ways: readonly Way[]): Way[] {
    const nowMs = this.#clock.monotonicMs();
    const rests = ({ health }: Way) => health.restUntilMs > nowMs;
    return [...ways.filter((way) => !rests(way)), ...ways.filter(rests)];
  }

  health(): EgressHealth[] {
    return [...this.#known.values()].map(({ name, failures, cause, connectMs }) => ({
      name,
      state: failures === 0 ? 'ok' : 'failing',
      cause: failures === 0 ? undefined : cause,
      failures,
      connectMs,
    }));
  }

  #healthOf(name: string, key: string): WayHealth {
    let health = this.#known.get(key);
    if (!health) {
      health = untried(name);
      this.#known.set(key, health);
    }
    return health;
  }

  #failed(health: WayHealth, step: EgressError['step'], cause: string): void {
    health.cause = cause;
    health.failures++;
    const restMs = Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** (health.failures - 1));
    health.restUntilMs = this.#clock.monotonicMs() + restMs;
    if (health.failures === 1) this.#log.warn({ egress: health.name, step, cause }, 'a way out fails');
  }
}
