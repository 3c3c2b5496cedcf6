/**
 * The slot of a running request at a target: while it is held it counts as load, and its end reports the outcome to the
 * circuits.
 */
import type { Clock } from '../core/clock.ts';
import type { UpstreamFailure } from '../core/failure.ts';
import type { Breaker } from './breaker.ts';
import type { Concurrency } from './concurrency.ts';
import type { Latency } from './latency.ts';
import type { RouteGate } from './route-gate.ts';

/** Whole answers take longer than first events, so the two are measured apart. */
export type AnswerKind = 'stream' | 'whole';

type Outcome = 'ok' | 'aborted' | UpstreamFailure;

/** The slot of one running request at a target. `end` is called exactly once; further calls do nothing. */
export interface Slot {
  /** The time to the first content; for a whole answer, the time to all of it. */
  answered(firstEventMs: number, kind: AnswerKind): void;
  end(outcome: Outcome): void;
}

/** What is kept of a target while it is in use. */
export interface TargetState {
  provider: string;
  breaker: Breaker;
  /** Shared by all routes of a credential: a key that is refused is refused for every model. */
  credential: Breaker;
  latency: Record<AnswerKind, Latency>;
  inFlight: number;
  upstream: string;
  used: boolean;
  concurrency: Concurrency;
}

export class LiveSlot implements Slot {
  readonly #state: TargetState;
  readonly #clock: Clock;
  readonly #beganMs: number;
  readonly #probe: boolean;
  readonly #credentialProbe: boolean;
  readonly #gate: RouteGate | undefined;
  #running = true;

  constructor(state: TargetState, clock: Clock, nowMs: number, gate: RouteGate | undefined) {
    this.#state = state;
    this.#gate = gate;
    state.used = true;
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
    this.#gate?.leave();
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
    // A provider that rightly refuses the client's request is healthy.
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
