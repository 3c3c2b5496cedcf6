/** Limits how many lines of all batches this process sends at once. */
export class Permits {
  readonly #max: () => number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(max: () => number) {
    this.#max = max;
  }

  /** Waits for a permit; the returned function gives it back. Undefined when the signal was aborted. */
  async enter(signal: AbortSignal): Promise<(() => void) | undefined> {
    while (this.#taken >= this.#max()) {
      if (signal.aborted) return undefined;
      await this.#room(signal);
    }
    if (signal.aborted) return undefined;
    this.#taken++;
    return () => {
      this.#taken--;
      const [next] = this.#waiting;
      next?.();
    };
  }

  #room(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }
}
