/**
 * Long work in slices, one slice per turn of the event loop over all requests. Without this queue, forty requests that
 * count at once would each do a slice in the same turn, and all others would wait for all forty.
 */
class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is this caller's turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#give);
    });
  }

  readonly #give = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#give);
  };
}

const turns = new Turns();

export function nextTurn(): Promise<void> {
  return turns.next();
}
