/** Requests that wait for an answer which another replica is giving. Each waits for a message or for its own deadline. */

interface Waiter {
  deadlineAtMs: number;
  woken: Promise<void>;
  wake: () => void;
}

export class Waiting {
  readonly #waiters = new Map<string, Waiter>();

  get size(): number {
    return this.#waiters.size;
  }

  get ids(): string[] {
    return [...this.#waiters.keys()];
  }

  /** Must be called before looking at the claim, so that a message which comes in between is not missed. */
  for(id: string, deadlineAtMs: number): Promise<void> {
    const known = this.#waiters.get(id);
    if (known) {
      known.deadlineAtMs = Math.min(known.deadlineAtMs, deadlineAtMs);
      return known.woken;
    }
    let wake: () => void = () => undefined;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiters.set(id, { deadlineAtMs, woken, wake });
    return woken;
  }

  wake(id: string): void {
    const waiter = this.#waiters.get(id);
    this.#waiters.delete(id);
    waiter?.wake();
  }

  wakeAll(): void {
    for (const id of this.ids) this.wake(id);
  }

  expire(nowMs: number): void {
    for (const [id, { deadlineAtMs }] of this.#waiters) if (deadlineAtMs <= nowMs) this.wake(id);
  }
}
