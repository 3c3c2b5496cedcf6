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
  /** Of the last failure, while it lasts. */
  cause: string | undefined;
  failures: number;
  /** How long the last connection through it took to stand. */
  connectMs: number | undefined;
}

const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 60_000;

interface State {
  failures: number;
  restUntilMs: number;
  cause: string | undefined;
  connectMs: number | undefined;
}

export class Egresses {
  readonly #states = new Map<string, State>();
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'info' | 'warn'>;

  constructor(options: { clock: Clock; log: Pick<Log, 'info' | 'warn'> }) {
    this.#clock = options.clock;
    this.#log = options.log;
  }

  connectorFor(egress: Egress, terms: DialTerms): Connector {
    const state = this.#stateOf(egress.name);
    return async (target, signal) => {
      const begunMs = this.#clock.monotonicMs();
      try {
        const socket = await dial(egress, target, terms, signal);
        this.#worked(egress, state, this.#clock.monotonicMs() - begunMs);
        return socket;
      } catch (error) {
        if (!signal.aborted) this.#failed(egress, state, error);
        throw error;
      }
    };
  }

  /** Those that stand back come last, each group in the operator's order. */
  inOrder<Way extends { name: string }>(ways: readonly Way[]): Way[] {
    const nowMs = this.#clock.monotonicMs();
    const rests = ({ name }: Way) => (this.#states.get(name)?.restUntilMs ?? 0) > nowMs;
    return [...ways.filter((way) => !rests(way)), ...ways.filter(rests)];
  }

  health(): EgressHealth[] {
    return [...this.#states].map(([name, { failures, cause, connectMs }]) => ({
      name,
      state: failures === 0 ? 'ok' : 'failing',
      cause: failures === 0 ? undefined : cause,
      failures,
      connectMs,
    }));
  }

  #stateOf(name: string): State {
    let state = this.#states.get(name);
    if (!state) {
      state = { failures: 0, restUntilMs: 0, cause: undefined, connectMs: undefined };
      this.#states.set(name, state);
    }
    return state;
  }

  #worked({ name }: Egress, state: State, connectMs: number): void {
    if (state.failures > 0) this.#log.info({ egress: name }, 'a way out works again');
    state.failures = 0;
    state.restUntilMs = 0;
    state.connectMs = Math.round(connectMs);
  }

  /** A proxy that says the destination cannot be reached is itself well. */
  #failed({ name }: Egress, state: State, error: unknown): void {
    if (!(error instanceof EgressError) || error.step === 'tunnel') return;
    state.cause = error.message;
    state.failures++;
    const restMs = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (state.failures - 1));
    state.restUntilMs = this.#clock.monotonicMs() + restMs;
    if (state.failures === 1)
      this.#log.warn({ egress: name, step: error.step, cause: error.message }, 'a way out fails');
  }
}
