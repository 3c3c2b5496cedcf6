/** Holds for responses that were asked for, or may begin at any moment, and have not begun. */
import type { Gateway } from '../gateway.ts';
import { type ResponseHold, releaseHold } from './response-hold.ts';

const MAX_WAITING_HOLDS = 4;

interface WaitingHold {
  hold: ResponseHold;
  /** The message that asked; undefined for a response that the provider starts by itself. */
  eventId: string | undefined;
}

export class WaitingHolds {
  readonly #gw: Gateway;
  #waiting: WaitingHold[] = [];

  constructor(gw: Gateway) {
    this.#gw = gw;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** The hold of the response that begins next. */
  get first(): ResponseHold | undefined {
    return this.#waiting[0]?.hold;
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING_HOLDS;
  }

  add(hold: ResponseHold, eventId: string | undefined): void {
    this.#waiting.push({ hold, eventId });
  }

  /** The provider has begun the next one. */
  take(): ResponseHold | undefined {
    const hold = this.#waiting.shift()?.hold;
    if (hold) hold.waiting = false;
    return hold;
  }

  /** The provider does not begin what this message asked for. */
  releaseOf(eventId: string | undefined): void {
    const at = eventId === undefined ? -1 : this.#waiting.findIndex((waiting) => waiting.eventId === eventId);
    if (at >= 0) this.#release(this.#waiting.splice(at, 1));
  }

  releaseLast(): void {
    this.#release(this.#waiting.splice(-1));
  }

  releaseAll(): void {
    this.#release(this.#waiting.splice(0));
  }

  #release(holds: readonly WaitingHold[]): void {
    for (const { hold } of holds) {
      hold.waiting = false;
      releaseHold(hold, this.#gw);
    }
  }
}
