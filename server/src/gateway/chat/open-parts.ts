/** Which parts of a delivered answer are open, so that it can be ended in order where its provider is stopped. */
import type { ChatEvent } from '../../core/events.ts';

export class OpenParts {
  readonly #open = new Set<number>();
  #choices = 1;

  see(event: ChatEvent): void {
    if (event.type === 'part-end') this.#open.delete(event.part);
    else if (event.type === 'part-start') {
      this.#open.add(event.part);
      this.#choices = Math.max(this.#choices, event.choice + 1);
    }
  }

  /** Every open part ends, and every choice has reached its limit. */
  ends(): ChatEvent[] {
    const ends: ChatEvent[] = [...this.#open].map((part) => ({ type: 'part-end', part }));
    const finishes = Array.from({ length: this.#choices }, () => ({ kind: 'length' as const }));
    return [...ends, { type: 'response-end', finishes }];
  }
}
