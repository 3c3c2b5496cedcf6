/**
 * Time that only passes when nothing is left to do: timers fire in their order, one after the other, and after each everything that
 * it resolved goes on. So a life of minutes takes milliseconds, and the same seed tells the same story.
 */
import type { Clock } from '../../src/core/clock.ts';

interface Timer {
  at: number;
  serial: number;
  fire: () => void;
  unref(): void;
}

const REPLACED = ['setTimeout', 'clearTimeout', 'setImmediate'] as const;

export class VirtualTime implements Clock {
  readonly #began: number;
  readonly #timers: Timer[] = [];
  readonly #real = REPLACED.map((name) => [name, globalThis[name]] as const);
  #now: number;
  #serial = 0;

  constructor(now = Date.parse('2026-11-15T07:00:00.250Z')) {
    this.#began = now;
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonicMs(): number {
    return this.#now - this.#began;
  }

  /** From here on the timers of everybody in this process are ours, until `restore`. */
  replaceTimers(): void {
    Object.assign(globalThis, {
      setTimeout: (fire: () => void, ms = 0) => this.after(ms, fire),
      clearTimeout: (timer: Timer | undefined) => this.#forget(timer),
      setImmediate: (fire: () => void) => this.after(0, fire),
    });
  }

  restore(): void {
    Object.assign(globalThis, Object.fromEntries(this.#real));
  }

  after(ms: number, fire: () => void): Timer {
    const timer = { at: this.#now + Math.max(0, ms), serial: this.#serial++, fire, unref: () => undefined };
    let place = this.#timers.length;
    while (place > 0 && (this.#timers[place - 1] as Timer).at > timer.at) place--;
    this.#timers.splice(place, 0, timer);
    return timer;
  }

  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (let next = this.#timers[0]; next !== undefined && next.at <= until; next = this.#timers[0]) {
      this.#timers.shift();
      this.#now = next.at;
      next.fire();
      await settled();
    }
    this.#now = until;
  }

  #forget(timer: Timer | undefined): void {
    const place = timer === undefined ? -1 : this.#timers.indexOf(timer);
    if (place >= 0) this.#timers.splice(place, 1);
  }
}

/** Once every promise that can be resolved now is. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
