/** The live state of every target: circuit, latency, load. Slots report to it; plans, metrics and operators read it. */

import type { RouteLimits } from '../catalog/index.ts';
import type { Clock } from '../core/clock.ts';
import type { FailureKind } from '../core/failure.ts';
import { type MaybePromise, whenResolved } from '../core/maybe-promise.ts';
import { DeadlineSweep } from '../platform/upstream/index.ts';
import { Breaker, type BreakerState, type BreakerWatch } from './breaker.ts';
import { Concurrency } from './concurrency.ts';
import { Latency } from './latency.ts';
import { type AnswerKind, LiveSlot, type Slot, type TargetState } from './live-slot.ts';
import type { RouteNews } from './news.ts';
import { RouteGate } from './route-gate.ts';
import type { Target } from './target.ts';

/** The live state that a plan reads of a target. */
export interface TargetFacts {
  state: BreakerState;
  /** Milliseconds until the circuit may be probed; 0 when it is not open. */
  openForMs: number;
  /** The kind of its last failure. */
  cause: string | undefined;
  inFlight: number;
  p50Ms: number | undefined;
  /** True when its provider is at its limit with a full queue, or the route has used up its minute. */
  saturated: boolean;
}

export interface TargetHealth extends TargetFacts {
  target: string;
  provider: string;
  /** The provider's name of the model. */
  upstream: string;
  /** True when this process has sent a request there. */
  used: boolean;
  p95Ms: number | undefined;
}

export interface RouteHealth {
  /**
   * Waits a short time for a slot at a provider or route that is full. `tokens`: the estimated input, for routes with a
   * limit on tokens per minute.
   */
  acquire(target: Target, deadlineAtMs: number, tokens?: number): MaybePromise<Slot | 'full'>;
  /** Adds the answer's tokens to the minute of a route with such a limit. */
  spent(target: Target, tokens: number): void;
  facts(target: Target): TargetFacts;
  /** p95 of the time to the first event; undefined while there are too few answers. */
  slowAfterMs(target: Target, kind: AnswerKind): number | undefined;
  snapshot(): TargetHealth[];
  /** Called when another replica's circuit of the same name opened or closed. */
  hear(news: CircuitNews): void;
  /** Circuits that are open now. */
  open(): CircuitNews[];
}

export type CircuitNews = Exclude<RouteNews, { kind: 'answered' }>;

/** Circuits of targets this replica has not used yet, as other replicas reported them. */
const MAX_HEARD = 1_000;

/** Above this number targets of removed routes are dropped; far more than any catalog uses at once. */
const MAX_TARGETS = 10_000;

class LiveHealth implements RouteHealth {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #sweep: DeadlineSweep;
  readonly #targets = new Map<string, TargetState>();
  readonly #credentials = new Map<string, Breaker>();
  readonly #providers = new Map<string, Concurrency>();
  /** By model and route, because all credentials of a route share its limits. */
  readonly #gates = new Map<string, RouteGate>();
  readonly #tell: ((news: CircuitNews) => void) | undefined;
  /** Circuits that other replicas reported, by name, with their monotonic end; for breakers that do not exist here yet. */
  readonly #heard = new Map<string, { untilMs: number; cause: FailureKind }>();

  constructor({ clock, random, tell }: HealthOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#tell = tell;
    this.#sweep = new DeadlineSweep(clock);
  }

  acquire(target: Target, deadlineAtMs: number, tokens = 0): MaybePromise<Slot | 'full'> {
    const state = this.#stateOf(target);
    const nowMs = this.#clock.monotonicMs();
    const { limits } = target.route;
    if (limits !== undefined) return this.#acquireWithin(limits, target, state, deadlineAtMs, tokens);
    const entered = state.concurrency.enter(target.route.provider.maxConcurrent, nowMs, deadlineAtMs);
    if (entered === true) return new LiveSlot(state, this.#clock, nowMs, undefined);
    return whenResolved(entered, (has) =>
      has ? new LiveSlot(state, this.#clock, this.#clock.monotonicMs(), undefined) : 'full',
    );
  }

  /** The route's own limits are checked first: a request that exceeds them takes no slot at the provider. */
  async #acquireWithin(
    limits: RouteLimits,
    target: Target,
    state: TargetState,
    deadlineAtMs: number,
    tokens: number,
  ): Promise<Slot | 'full'> {
    const gate = this.#gateOf(target);
    if (!(await gate.enter(limits, this.#clock.monotonicMs(), deadlineAtMs, tokens))) return 'full';
    const { maxConcurrent } = target.route.provider;
    if (await state.concurrency.enter(maxConcurrent, this.#clock.monotonicMs(), deadlineAtMs))
      return new LiveSlot(state, this.#clock, this.#clock.monotonicMs(), gate);
    gate.leave();
    return 'full';
  }

  spent(target: Target, tokens: number): void {
    this.#gateOf(target).spent(this.#clock.monotonicMs(), tokens);
  }

  facts(target: Target): TargetFacts {
    const nowMs = this.#clock.monotonicMs();
    const facts = this.#factsOf(this.#stateOf(target), nowMs);
    const { limits } = target.route;
    if (limits !== undefined && this.#gateOf(target).isFull(limits, nowMs)) facts.saturated = true;
    return facts;
  }

  slowAfterMs(target: Target, kind: AnswerKind): number | undefined {
    return this.#stateOf(target).latency[kind].p95Ms;
  }

  snapshot(): TargetHealth[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#targets].map(([target, state]) => ({
      target,
      provider: state.provider,
      upstream: state.upstream,
      used: state.used,
      ...this.#factsOf(state, nowMs),
      p95Ms: state.latency.stream.p95Ms ?? state.latency.whole.p95Ms,
    }));
  }

  hear(news: CircuitNews): void {
    const breaker = this.#breakerOf(news.circuit);
    const nowMs = this.#clock.monotonicMs();
    if (news.kind === 'closed') {
      this.#heard.delete(news.circuit);
      breaker?.closedElsewhere();
      return;
    }
    if (breaker) breaker.openedElsewhere(nowMs, news.forMs, news.cause);
    else if (this.#heard.size < MAX_HEARD) {
      this.#heard.set(news.circuit, { untilMs: nowMs + news.forMs, cause: news.cause });
    }
  }

  open(): CircuitNews[] {
    const nowMs = this.#clock.monotonicMs();
    const all = [
      ...[...this.#targets].map(([id, { breaker }]) => [targetCircuit(id), breaker] as const),
      ...[...this.#credentials].map(([key, breaker]) => [credentialCircuit(key), breaker] as const),
    ];
    return all.flatMap(([circuit, breaker]): CircuitNews[] => {
      const cause = breaker.lastFailure?.kind;
      if (breaker.state(nowMs) !== 'open' || cause === undefined) return [];
      return [{ kind: 'opened', circuit, forMs: breaker.openForMs(nowMs), cause }];
    });
  }

  #newBreaker(circuit: string): Breaker {
    const tell = this.#tell;
    const watch: BreakerWatch | undefined = tell && {
      opened: (forMs, cause) => tell({ kind: 'opened', circuit, forMs, cause }),
      closed: () => tell({ kind: 'closed', circuit }),
    };
    const breaker = new Breaker(this.#random, watch);
    const heard = this.#heard.get(circuit);
    if (heard === undefined) return breaker;
    this.#heard.delete(circuit);
    const nowMs = this.#clock.monotonicMs();
    if (heard.untilMs > nowMs) breaker.openedElsewhere(nowMs, heard.untilMs - nowMs, heard.cause);
    return breaker;
  }

  #breakerOf(circuit: string): Breaker | undefined {
    const [kind, name] = [circuit.slice(0, circuit.indexOf(' ')), circuit.slice(circuit.indexOf(' ') + 1)];
    return kind === 'target' ? this.#targets.get(name)?.breaker : this.#credentials.get(name);
  }

  #factsOf(state: TargetState, nowMs: number): TargetFacts {
    const own = state.breaker.state(nowMs);
    const credentials = state.credential.state(nowMs);
    // A healthy route shows its own last failure, not one that its credential had on another route.
    const shared = credentials === 'open' || (own === 'closed' && credentials !== 'closed');
    const worse = shared ? state.credential : state.breaker;
    return {
      state: worse.state(nowMs),
      openForMs: worse.openForMs(nowMs),
      cause: worse.lastFailure?.kind,
      inFlight: state.inFlight,
      p50Ms: state.latency.stream.p50Ms ?? state.latency.whole.p50Ms,
      saturated: state.concurrency.saturated,
    };
  }

  #stateOf(target: Target): TargetState {
    const known = this.#targets.get(target.id);
    if (known) return known;
    const provider = target.route.provider.id;
    const state: TargetState = {
      provider,
      breaker: this.#newBreaker(targetCircuit(target.id)),
      credential: this.#credentialOf(`${provider}#${target.credential?.id ?? ''}`),
      latency: { stream: new Latency(), whole: new Latency() },
      inFlight: 0,
      upstream: target.route.upstreamModel,
      used: false,
      concurrency: this.#concurrencyOf(provider),
    };
    if (this.#targets.size >= MAX_TARGETS) this.#forgetIdle();
    this.#targets.set(target.id, state);
    return state;
  }

  #gateOf({ model, route }: Target): RouteGate {
    const key = `${model.id} ${route.id}`;
    let gate = this.#gates.get(key);
    if (!gate) {
      if (this.#gates.size >= MAX_TARGETS)
        for (const [known, one] of this.#gates) if (one.isIdle) this.#gates.delete(known);
      gate = new RouteGate(this.#sweep);
      this.#gates.set(key, gate);
    }
    return gate;
  }

  #credentialOf(key: string): Breaker {
    const breaker = this.#credentials.get(key) ?? this.#newBreaker(credentialCircuit(key));
    if (!this.#credentials.has(key)) this.#credentials.set(key, breaker);
    return breaker;
  }

  #concurrencyOf(provider: string): Concurrency {
    const concurrency = this.#providers.get(provider) ?? new Concurrency(this.#sweep);
    if (!this.#providers.has(provider)) this.#providers.set(provider, concurrency);
    return concurrency;
  }

  /** Oldest first. A target with running requests stays, since its slots still report to it. */
  #forgetIdle(): void {
    for (const [id, state] of this.#targets) {
      if (state.inFlight === 0) this.#targets.delete(id);
      if (this.#targets.size < MAX_TARGETS / 2) break;
    }
    const used = new Set([...this.#targets.values()].map((state) => state.credential));
    for (const [key, breaker] of this.#credentials) if (!used.has(breaker)) this.#credentials.delete(key);
  }
}

function targetCircuit(id: string): string {
  return `target ${id}`;
}

function credentialCircuit(key: string): string {
  return `credential ${key}`;
}

interface HealthOptions {
  clock: Clock;
  random: () => number;
  /** Tells the other replicas that a circuit opened or closed; absent where there are none. */
  tell?: (news: CircuitNews) => void;
}

export function createHealth(options: HealthOptions): RouteHealth {
  return new LiveHealth(options);
}
