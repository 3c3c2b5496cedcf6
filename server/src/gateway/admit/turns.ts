/**
 * Long work in slices, one slice of anybody's per turn of the event loop. Without the queue, forty requests that count at once
 * would each do a slice in the same turn, and everybody else would wait for all forty.
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
