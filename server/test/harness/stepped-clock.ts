/** Time that stands still until a test moves it, and what is to happen later by it. */
import type { Clock } from '../../src/core/clock.ts';

export class SteppedClock implements Clock {
  readonly #startedAt = Date.now();
  #ms = 0;
  #later: { atMs: number; work: () => void }[] = [];
  #tell: (() => void)[] = [];

  now = () => this.#startedAt + this.#ms;
  monotonicMs = () => 1_000 + this.#ms;
  after = (ms: number, work: () => void) => {
    this.#later.push({ atMs: this.#ms + ms, work });
    for (const tell of this.#tell.splice(0)) tell();
  };

  /** Resolves when something waits for a later time. */
  whenAwaited(): Promise<void> {
    return this.#later.length > 0 ? Promise.resolve() : new Promise((resolve) => this.#tell.push(resolve));
  }

  move(ms: number): void {
    this.#ms += ms;
    const due = this.#later.filter(({ atMs }) => atMs <= this.#ms);
    this.#later = this.#later.filter(({ atMs }) => atMs > this.#ms);
    for (const { work } of due) work();
  }

  /** Nothing that was to happen later happens. */
  forget(): void {
    this.#later = [];
  }
}
