/** The requests this process is answering now: counted for overload, waited for when draining. */
import type { RequestOpening } from '../requestlog/index.ts';

export class RunningRequests {
  readonly #running = new Map<string, { opening: RequestOpening; cancel: (reason: string) => void }>();
  #idleListeners: (() => void)[] = [];

  get size(): number {
    return this.#running.size;
  }

  add(opening: RequestOpening, cancel: (reason: string) => void): void {
    this.#running.set(opening.id, { opening, cancel });
  }

  remove(id: string): void {
    this.#running.delete(id);
    if (this.#running.size > 0) return;
    const listeners = this.#idleListeners;
    this.#idleListeners = [];
    for (const listener of listeners) listener();
  }

  /** The drain's patience is over: each ends with an error event and is settled for what it delivered. */
  cancelAll(reason: string): void {
    for (const { cancel } of this.#running.values()) cancel(reason);
  }

  /** Resolves when nothing runs any more. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }
}
