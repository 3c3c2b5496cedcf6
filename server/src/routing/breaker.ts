/**
 * Circuit breaker of one target. Closed: all requests pass. Open: the target is a last choice until the cool-down ends.
 * Half-open: the next request is the probe. Probing: the probe runs; its outcome closes the circuit or opens it for
 * longer.
 */
import type { FailureKind, UpstreamFailure } from '../core/failure.ts';

/** Called when the circuit opens, for how long and why, and when it closes again. */
export interface BreakerWatch {
  opened(forMs: number, cause: FailureKind): void;
  closed(): void;
}

export type BreakerState = 'closed' | 'open' | 'half-open' | 'probing';

/** How many failures in a row open the circuit. Fallback hides them, so reacting fast costs nothing. */
const FAILURES_TO_OPEN = 3;
/** Also opens when half of the recent outcomes failed, so that a provider failing every second call is noticed. */
const RATE_TO_OPEN = 0.5;
const OUTCOMES_FOR_RATE = 20;
const BASE_COOL_DOWN_MS = 5_000;
const MAX_COOL_DOWN_MS = 5 * 60_000;
/** The cool-down of a rate limit without a Retry-After: the time in which a limit per second refills. */
const RATE_LIMIT_COOL_DOWN_MS = 2_000;
/** A missing key or model comes back only when an operator acts, so such a target is probed rarely. */
const GONE_COOL_DOWN_MS = 10 * 60_000;
/** A probe that never reports must not keep the target out for ever. */
const PROBE_MS = 10 * 60_000;
/** The longest cool-down that is accepted from another replica. */
const MAX_COOL_DOWN_ELSEWHERE_MS = GONE_COOL_DOWN_MS * 1.2;

export class Breaker {
  readonly #random: () => number;
  readonly #watch: BreakerWatch | undefined;
  #failuresInRow = 0;
  /** The share of failures, decaying exponentially. */
  #failureRate = 0;
  #outcomes = 0;
  #opened = 0;
  #openedAtMs = -1;
  #openUntilMs = -1;
  #probeUntilMs = -1;
  #lastFailure: UpstreamFailure | undefined;

  constructor(random: () => number, watch?: BreakerWatch) {
    this.#random = random;
    this.#watch = watch;
  }

  get lastFailure(): UpstreamFailure | undefined {
    return this.#lastFailure;
  }

  state(nowMs: number): BreakerState {
    if (this.#openUntilMs < 0) return 'closed';
    if (nowMs < this.#openUntilMs) return 'open';
    return nowMs < this.#probeUntilMs ? 'probing' : 'half-open';
  }

  /** Milliseconds until the circuit may be probed; 0 when it is not open. */
  openForMs(nowMs: number): number {
    return Math.max(0, this.#openUntilMs - nowMs);
  }

  /** A request starts here. Returns true when it is the probe. */
  begin(nowMs: number): boolean {
    if (this.state(nowMs) !== 'half-open') return false;
    this.#probeUntilMs = nowMs + PROBE_MS;
    return true;
  }

  succeeded(beganMs: number): void {
    this.#observe(0);
    // The request began before the circuit opened, so its success is out of date.
    if (beganMs < this.#openedAtMs) return;
    if (this.#openUntilMs >= 0) this.#watch?.closed();
    this.#close();
  }

  /** Another replica's circuit opened; that counts like our own failures. */
  openedElsewhere(nowMs: number, forMs: number, cause: FailureKind): void {
    this.#lastFailure = { kind: cause, message: 'told by another replica' };
    this.#openUntilMs = Math.max(
      this.#openUntilMs,
      nowMs + Math.min(forMs, MAX_COOL_DOWN_ELSEWHERE_MS) * this.#jitter(),
    );
    this.#openedAtMs = nowMs;
    this.#probeUntilMs = -1;
  }

  closedElsewhere(): void {
    this.#close();
  }

  failed(failure: UpstreamFailure, nowMs: number, wasProbe: boolean): void {
    this.#lastFailure = failure;
    this.#failuresInRow++;
    this.#observe(1);
    const statedMs = toldCoolDownMs(failure);
    const tooMany =
      this.#failuresInRow >= FAILURES_TO_OPEN ||
      (this.#outcomes >= OUTCOMES_FOR_RATE && this.#failureRate >= RATE_TO_OPEN);
    if (statedMs === undefined && !tooMany && !wasProbe) return;
    // A late failure of a request that began before the circuit opened says nothing new.
    if (statedMs === undefined && !wasProbe && this.state(nowMs) === 'open') return;
    this.#open(nowMs, statedMs);
  }

  /** The client gave up the probe, so there is no verdict and the next request probes. */
  probeAbandoned(): void {
    this.#probeUntilMs = -1;
  }

  #open(nowMs: number, toldMs: number | undefined): void {
    const growing = Math.min(MAX_COOL_DOWN_MS, BASE_COOL_DOWN_MS * 2 ** Math.min(this.#opened, 10));
    const untilMs = nowMs + (toldMs ?? growing) * this.#jitter();
    this.#openUntilMs = Math.max(this.#openUntilMs, untilMs);
    this.#openedAtMs = nowMs;
    this.#probeUntilMs = -1;
    if (toldMs === undefined) this.#opened++;
    if (this.#lastFailure) this.#watch?.opened(this.#openUntilMs - nowMs, this.#lastFailure.kind);
  }

  #close(): void {
    this.#failuresInRow = 0;
    this.#opened = 0;
    this.#openUntilMs = -1;
    this.#probeUntilMs = -1;
    this.#lastFailure = undefined;
  }

  /** Random spread, so that replicas and targets do not all probe in the same instant. */
  #jitter(): number {
    return 1 + this.#random() * 0.2;
  }

  #observe(failure: 0 | 1): void {
    this.#outcomes++;
    this.#failureRate += (failure - this.#failureRate) / Math.min(this.#outcomes, OUTCOMES_FOR_RATE);
  }
}

/** Cool-downs that need no counting: the provider said how long, or only an operator can mend it. */
function toldCoolDownMs(failure: UpstreamFailure): number | undefined {
  switch (failure.kind) {
    case 'credential':
    case 'model-gone':
      return GONE_COOL_DOWN_MS;
    case 'rate-limited':
      return Math.min(MAX_COOL_DOWN_MS, failure.retryAfterMs ?? RATE_LIMIT_COOL_DOWN_MS);
    default:
      return failure.retryAfterMs === undefined ? undefined : Math.min(MAX_COOL_DOWN_MS, failure.retryAfterMs);
  }
}
