/** The requests this process is answering now: counted for overload, waited for when draining. */
import { type Indexed, IndexedList } from '../../core/indexed-list.ts';
import type { Cancellation } from '../../platform/upstream/index.ts';

export interface Running extends Indexed {
  readonly cancellation: Cancellation;
}

export class RunningRequests {
  readonly #running = new IndexedList<Running>();
  #idleListeners: (() => void)[] = [];

  get size(): number {
    return this.#running.size;
  }

  add(request: Running): void {
    this.#running.add(request);
  }

  remove(request: Running): void {
    if (this.#running.remove(request) && this.#running.size === 0) this.#nowIdle();
  }

  /** The drain's time is over: each ends with an error event and is settled for what it delivered. */
  cancelAll(reason: string): void {
    for (const { cancellation } of [...this.#running.entries]) cancellation.cancel(reason);
  }

  /** Resolves when nothing runs any more. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  #nowIdle(): void {
    const listeners = this.#idleListeners;
    this.#idleListeners = [];
    for (const listener of listeners) listener();
  }
}
