/**
 * The limits of one route: requests at once, and requests and estimated tokens within any 60 seconds. Each replica
 * counts alone, as for slots of providers. A request that exceeds them takes the next route.
 */
import type { RouteLimits } from '../catalog/index.ts';
import type { MaybePromise } from '../core/maybe-promise.ts';
import type { DeadlineSweep } from '../platform/upstream/index.ts';
import { Concurrency } from './concurrency.ts';

const WINDOW_S = 60;

/** Sums by the second over the last minute, so that no span of 60 seconds carries more than its limit. */
class MinuteWindow {
  readonly #sums = new Array<number>(WINDOW_S + 1).fill(0);
  #second = 0;
  #total = 0;

  within(nowMs: number): number {
    this.#advance(Math.floor(nowMs / 1000));
    return this.#total;
  }

  add(amount: number): void {
    const at = this.#second % this.#sums.length;
    this.#sums[at] = (this.#sums[at] ?? 0) + amount;
    this.#total += amount;
  }

  #advance(second: number): void {
    if (second <= this.#second) return;
    const steps = Math.min(second - this.#second, this.#sums.length);
    for (let step = 1; step <= steps; step++) {
      const at = (second - steps + step) % this.#sums.length;
      this.#total -= this.#sums[at] ?? 0;
      this.#sums[at] = 0;
    }
    this.#second = second;
  }
}

export class RouteGate {
  readonly #concurrency: Concurrency;
  readonly #requests = new MinuteWindow();
  readonly #tokens = new MinuteWindow();

  constructor(sweep: DeadlineSweep) {
    this.#concurrency = new Concurrency(sweep);
  }

  get isIdle(): boolean {
    return this.#concurrency.running === 0 && this.#concurrency.queued === 0;
  }

  /** True when a request that arrived now would be refused. */
  isFull(limits: RouteLimits, nowMs: number): boolean {
    return this.#concurrency.saturated || !this.#hasRoom(limits, nowMs, 1);
  }

  /** `leave` gives the slot back; what was counted in the minute stays counted. */
  async enter(limits: RouteLimits, nowMs: number, deadlineAtMs: number, tokens: number): Promise<boolean> {
    if (!this.#hasRoom(limits, nowMs, tokens)) return false;
    this.#requests.add(1);
    this.#tokens.add(tokens);
    const entered: MaybePromise<boolean> = this.#concurrency.enter(limits.maxConcurrent, nowMs, deadlineAtMs);
    return entered;
  }

  /** Output tokens are known only when the answer has ended. */
  spent(nowMs: number, tokens: number): void {
    this.#tokens.within(nowMs);
    this.#tokens.add(tokens);
  }

  leave(): void {
    this.#concurrency.leave();
  }

  /** A request larger than the whole limit passes when the minute is empty, because it could never pass otherwise. */
  #hasRoom({ requestsPerMinute, tokensPerMinute }: RouteLimits, nowMs: number, tokens: number): boolean {
    const requests = this.#requests.within(nowMs);
    const counted = this.#tokens.within(nowMs);
    if (requestsPerMinute !== null && requests + 1 > requestsPerMinute) return false;
    return tokensPerMinute === null || counted === 0 || counted + tokens <= tokensPerMinute;
  }
}
