/**
 * The events of a provider that continues an answer, rewritten as events of that answer: in its open part, without
 * repeated text.
 */
import type { ChatEvent, MeteredEvent, PartDelta, PartEnd, PartStart } from '../../core/events.ts';
import { Seam } from './seam.ts';
import type { ToldAnswer } from './told-answer.ts';

export class Splice {
  readonly #told: ToldAnswer;
  readonly #seam: Seam;
  /** By the provider's part number; null for a part that is not delivered. */
  readonly #parts = new Map<number, number | null>();
  /** The provider's number of the text part that continues. */
  #joined: number | undefined;
  #nextPart: number;

  constructor(told: ToldAnswer, stops: readonly string[]) {
    this.#told = told;
    this.#seam = new Seam(told.text, stops);
    this.#nextPart = told.nextPart;
  }

  /** A stop sequence that began before the cut. */
  get stoppedBy(): string | undefined {
    return this.#seam.stoppedBy;
  }

  /** Text that was repeated. */
  get dropped(): string {
    return this.#seam.dropped;
  }

  /** Each event must be delivered before the next one is asked for. */
  eventsOf(event: MeteredEvent): ChatEvent[] {
    switch (event.type) {
      case 'response-start':
      case 'unread-text':
        return [];
      case 'part-start':
        return this.#start(event);
      case 'part-delta':
        return this.#delta(event);
      case 'part-end':
        return this.#end(event);
      case 'response-end':
        return [...this.endText(), event];
      case 'usage-update':
      case 'failure':
        return [event];
    }
  }

  /** The text part that was open at the cut ends here. */
  endText(): ChatEvent[] {
    const { openText } = this.#told;
    return openText === undefined ? [] : [...this.#rest(openText), { type: 'part-end', part: openText }];
  }

  #start(event: PartStart): ChatEvent[] {
    // Reasoning about the second half would stand after the first, so it is dropped.
    if (event.kind === 'reasoning') {
      this.#parts.set(event.part, null);
      return [];
    }
    const isFirst = event.kind === 'text' && this.#joined === undefined;
    if (isFirst) this.#joined = event.part;
    const { openText } = this.#told;
    if (isFirst && openText !== undefined) {
      this.#parts.set(event.part, openText);
      return [];
    }
    const before = this.endText();
    const part = this.#nextPart++;
    this.#parts.set(event.part, part);
    return [...before, { ...event, part }];
  }

  #delta(event: PartDelta): ChatEvent[] {
    const part = this.#parts.get(event.part);
    if (part === undefined || part === null) return [];
    if (event.part !== this.#joined || this.#seam.isOver) return [{ ...event, part }];
    const text = this.#seam.push(event.text);
    return text === '' ? [] : [{ type: 'part-delta', part, text }];
  }

  #end(event: PartEnd): ChatEvent[] {
    const part = this.#parts.get(event.part);
    if (part === undefined || part === null) return [];
    const rest = event.part === this.#joined ? this.#rest(part) : [];
    return [...rest, { ...event, part }];
  }

  /** Text that waited for more, which did not come. */
  #rest(part: number): ChatEvent[] {
    const text = this.#seam.end();
    return text === '' ? [] : [{ type: 'part-delta', part, text }];
  }
}
