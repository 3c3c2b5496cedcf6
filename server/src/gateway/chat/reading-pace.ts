/**
 * Some providers send faster than anybody reads: thousands of tokens a second, each in a packet of its own. What comes within a
 * millisecond is then read together and goes out in one write, which costs a tenth of writing each piece alone. A stream that is
 * slower than that, as nearly every one, is never held up, and neither are its first words.
 */
import { after, type Clock } from '../../core/clock.ts';

const TOGETHER_MS = 1;

/** One timer for all streams that wait. */
let waiting: (() => void)[] = [];

function nextBeat(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    if (clock.after) clock.after(TOGETHER_MS, resolve);
    else if (waiting.push(resolve) === 1) after(clock, TOGETHER_MS, beat);
  });
}

function beat(): void {
  const ready = waiting;
  waiting = [];
  for (const resolve of ready) resolve();
}

export class ReadingPace {
  readonly #clock: Clock;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called when something was read: undefined when more may be read at once. */
  rest(): Promise<void> | undefined {
    const now = this.#clock.monotonicMs();
    const together = now - this.#lastMs < TOGETHER_MS;
    this.#lastMs = now;
    return together ? nextBeat(this.#clock) : undefined;
  }
}
