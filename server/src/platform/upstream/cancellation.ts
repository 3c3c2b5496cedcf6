/**
 * Tells running work that nobody wants its result any more. An AbortSignal does the same, but every request needs one and it is
 * much slower (docs/performance.md).
 */
type Listener = (reason: string) => void;

export class Cancellation {
  #reason: string | undefined;
  #listeners: Listener[] = [];

  get reason(): string | undefined {
    return this.#reason;
  }

  get cancelled(): boolean {
    return this.#reason !== undefined;
  }

  /** Calls the listener at once when it is already cancelled. */
  attach(listener: Listener): void {
    if (this.#reason !== undefined) listener(this.#reason);
    else this.#listeners.push(listener);
  }

  detach(listener: Listener): void {
    const at = this.#listeners.indexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }

  /** The first reason stays. */
  cancel(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener(reason);
  }
}
