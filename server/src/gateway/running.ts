/** The requests this process is answering now: counted for overload and drain, visible on receipts as `running`. */
import type { RequestOpening } from '../requestlog/index.ts';

export class RunningRequests {
  readonly #running = new Map<string, RequestOpening>();
  #idleListeners: (() => void)[] = [];

  get size(): number {
    return this.#running.size;
  }

  add(opening: RequestOpening): void {
    this.#running.set(opening.id, opening);
  }

  remove(id: string): void {
    this.#running.delete(id);
    if (this.#running.size > 0) return;
    const listeners = this.#idleListeners;
    this.#idleListeners = [];
    for (const listener of listeners) listener();
  }

  find(id: string): RequestOpening | undefined {
    return this.#running.get(id);
  }

  /** Resolves when nothing runs any more. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }
}
