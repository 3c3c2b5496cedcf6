/**
 * Slots of requests with customers' own keys. They are counted apart and report to no route's health: a key that is
 * refused or used up is its owner's problem, and must neither open a circuit of the operator's nor take a slot from
 * others.
 */
import type { TargetFacts } from './health.ts';
import type { Slot } from './live-slot.ts';
import type { Target } from './target.ts';

/** The most requests at once with one key, on each replica. */
const MAX_AT_ONCE = 64;

export class OwnSlots {
  /** Holds only keys in use, so it is no longer than the list of running requests. */
  readonly #running = new Map<string, number>();

  facts({ route }: Target): TargetFacts {
    const inFlight = this.#runningOf(route.own?.id);
    const saturated = inFlight >= MAX_AT_ONCE;
    return { state: 'closed', openForMs: 0, cause: undefined, inFlight, p50Ms: undefined, saturated };
  }

  acquire({ route }: Target): Slot | 'full' {
    const id = route.own?.id ?? '';
    const running = this.#runningOf(id);
    if (running >= MAX_AT_ONCE) return 'full';
    this.#running.set(id, running + 1);
    let ended = false;
    return {
      answered: () => undefined,
      end: () => {
        if (ended) return;
        ended = true;
        const left = this.#runningOf(id) - 1;
        if (left > 0) this.#running.set(id, left);
        else this.#running.delete(id);
      },
    };
  }

  #runningOf(id: string | undefined): number {
    return this.#running.get(id ?? '') ?? 0;
  }
}
