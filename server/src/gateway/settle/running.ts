/** The requests this process is answering now: counted for overload, waited for when draining. */
import type { Cancellation } from '../../platform/upstream/index.ts';

export interface Running {
  readonly cancellation: Cancellation;
  /** Owned by the list: where the request stands in it, -1 when it does not. */
  runningAt: number;
}

export class RunningRequests {
  // A list from which the last entry fills the gap of a removed one. Under such load a Map rebuilds its table and keeps dead
  // tables alive (docs/performance.md).
  readonly #running: Running[] = [];
  #idleListeners: (() => void)[] = [];

  get size(): number {
    return this.#running.length;
  }

  add(request: Running): void {
    request.runningAt = this.#running.push(request) - 1;
  }

  remove(request: Running): void {
    const at = request.runningAt;
    if (at < 0) return;
    request.runningAt = -1;
    const last = this.#running.pop();
    if (last && last !== request) {
      this.#running[at] = last;
      last.runningAt = at;
    }
    if (this.#running.length === 0) this.#nowIdle();
  }

  /** The drain's patience is over: each ends with an error event and is settled for what it delivered. */
  cancelAll(reason: string): void {
    for (const { cancellation } of [...this.#running]) cancellation.cancel(reason);
  }

  /** Resolves when nothing runs any more. */
  idle(): Promise<void> {
    if (this.#running.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  #nowIdle(): void {
    const listeners = this.#idleListeners;
    this.#idleListeners = [];
    for (const listener of listeners) listener();
  }
}
