/** What is known about every target right now: circuit, latency, load. Fed by places, read by plans, metrics and operators. */

import type { Clock } from '../core/clock.ts';
import type { FailureKind, UpstreamFailure } from '../core/failure.ts';
import { type MaybePromise, whenResolved } from '../core/maybe-promise.ts';
import { DeadlineSweep } from '../platform/upstream/index.ts';
import { Breaker, type BreakerState, type BreakerWatch } from './breaker.ts';
import { Concurrency } from './concurrency.ts';
import { Latency } from './latency.ts';
import type { RouteNews } from './news.ts';
import type { Target } from './target.ts';

/** Whole answers take longer by nature, so the two kinds are measured apart. */
export type AnswerKind = 'stream' | 'whole';

/** The place of one running request at a target. `end` is called exactly once; further calls do nothing. */
export interface Slot {
  /** The first real event came after this time; of a whole answer, all of it. */
  answered(firstEventMs: number, kind: AnswerKind): void;
  end(outcome: Outcome): void;
}

/** What a plan may know about a target. */
export interface TargetFacts {
  state: BreakerState;
  /** Milliseconds until the circuit may be probed; 0 when it is not open. */
  openForMs: number;
  /** The kind of its last failure. */
  cause: string | undefined;
  inFlight: number;
  p50Ms: number | undefined;
  /** Its provider is at its bound and the queue is full. */
  saturated: boolean;
}

export interface TargetHealth extends TargetFacts {
  target: string;
  provider: string;
  p95Ms: number | undefined;
}

export interface RouteHealth {
  /** Waits for a place at a provider that is full, but not for long. */
  acquire(target: Target, deadlineAtMs: number): MaybePromise<Slot | 'full'>;
  facts(target: Target): TargetFacts;
  /** p95 of the first event; undefined while there are too few answers. */
  slowAfterMs(target: Target, kind: AnswerKind): number | undefined;
  snapshot(): TargetHealth[];
  /** Another replica's circuit of the same name opened or closed. */
  hear(news: CircuitNews): void;
  /** Circuits that are open now. */
  open(): CircuitNews[];
}

export type CircuitNews = Exclude<RouteNews, { kind: 'answered' }>;

/** Circuits of targets this replica has not used yet, as others told. */
const MAX_HEARD = 1_000;

/** Targets of removed routes go when there are more than this; far above any catalog in use at once. */
const MAX_TARGETS = 10_000;

interface TargetState {
  provider: string;
  breaker: Breaker;
  /** Shared by all routes of a credential: a key that is refused is refused for every model. */
  credential: Breaker;
  latency: Record<AnswerKind, Latency>;
  inFlight: number;
  concurrency: Concurrency;
}

class LiveHealth implements RouteHealth {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #sweep: DeadlineSweep;
  readonly #targets = new Map<string, TargetState>();
  readonly #credentials = new Map<string, Breaker>();
  readonly #providers = new Map<string, Concurrency>();
  readonly #tell: ((news: CircuitNews) => void) | undefined;
  /** Circuits that other replicas reported, by name, with their monotonic end; for breakers that do not exist here yet. */
  readonly #heard = new Map<string, { untilMs: number; cause: FailureKind }>();

  constructor({ clock, random, tell }: HealthOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#tell = tell;
    this.#sweep = new DeadlineSweep(clock);
  }

  acquire(target: Target, deadlineAtMs: number): MaybePromise<Slot | 'full'> {
    const state = this.#stateOf(target);
    const nowMs = this.#clock.monotonicMs();
    const entered = state.concurrency.enter(target.route.provider.maxConcurrent, nowMs, deadlineAtMs);
    if (entered === true) return new LiveSlot(state, this.#clock, nowMs);
    return whenResolved(entered, (has) => (has ? new LiveSlot(state, this.#clock, this.#clock.monotonicMs()) : 'full'));
  }

  facts(target: Target): TargetFacts {
    return this.#factsOf(this.#stateOf(target), this.#clock.monotonicMs());
  }

  slowAfterMs(target: Target, kind: AnswerKind): number | undefined {
    return this.#stateOf(target).latency[kind].p95Ms;
  }

  snapshot(): TargetHealth[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#targets].map(([target, state]) => ({
      target,
      provider: state.provider,
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
      concurrency: this.#concurrencyOf(provider),
    };
    if (this.#targets.size >= MAX_TARGETS) this.#forgetIdle();
    this.#targets.set(target.id, state);
    return state;
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

  /** Oldest first; a target with running requests stays, since its places still report to it. */
  #forgetIdle(): void {
    for (const [id, state] of this.#targets) {
      if (state.inFlight === 0) this.#targets.delete(id);
      if (this.#targets.size < MAX_TARGETS / 2) break;
    }
    const used = new Set([...this.#targets.values()].map((state) => state.credential));
    for (const [key, breaker] of this.#credentials) if (!used.has(breaker)) this.#credentials.delete(key);
  }
}

type Outcome = 'ok' | 'aborted' | UpstreamFailure;

class LiveSlot implements Slot {
  readonly #state: TargetState;
  readonly #clock: Clock;
  readonly #beganMs: number;
  readonly #probe: boolean;
  readonly #credentialProbe: boolean;
  #running = true;

  constructor(state: TargetState, clock: Clock, nowMs: number) {
    this.#state = state;
    this.#clock = clock;
    this.#beganMs = nowMs;
    this.#probe = state.breaker.begin(nowMs);
    this.#credentialProbe = state.credential.begin(nowMs);
    state.inFlight++;
  }

  answered(firstEventMs: number, kind: AnswerKind): void {
    this.#state.latency[kind].record(firstEventMs, this.#clock.monotonicMs());
  }

  end(outcome: Outcome): void {
    if (!this.#running) return;
    this.#running = false;
    const { breaker, credential, concurrency } = this.#state;
    this.#state.inFlight--;
    concurrency.leave();
    // The clock is read only after a failure: reading it would cost as much as the rest of this function.
    const endedMs = typeof outcome === 'string' ? this.#beganMs : this.#clock.monotonicMs();
    report(breaker, outcome, this.#probe, this.#beganMs, endedMs);
    reportCredential(credential, outcome, this.#credentialProbe, this.#beganMs, endedMs);
  }
}

function report(breaker: Breaker, outcome: Outcome, probe: boolean, beganMs: number, endedMs: number): void {
  if (outcome === 'aborted') {
    if (probe) breaker.probeAbandoned();
  } else if (outcome === 'ok' || isClientFault(outcome)) {
    // A provider that rightly complains about the client's request is well.
    breaker.succeeded(beganMs);
  } else if (outcome.kind !== 'credential') {
    breaker.failed(outcome, endedMs, probe);
  } else if (probe) {
    breaker.probeAbandoned();
  }
}

function reportCredential(breaker: Breaker, outcome: Outcome, probe: boolean, beganMs: number, endedMs: number): void {
  if (outcome === 'ok') breaker.succeeded(beganMs);
  else if (outcome !== 'aborted' && outcome.kind === 'credential') breaker.failed(outcome, endedMs, probe);
  else if (probe) breaker.probeAbandoned();
}

function isClientFault(failure: UpstreamFailure): boolean {
  return failure.kind === 'client-fault' || failure.kind === 'context-too-long';
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
  /** Where other replicas want to know of circuits. */
  tell?: (news: CircuitNews) => void;
}

export function createHealth(options: HealthOptions): RouteHealth {
  return new LiveHealth(options);
}
