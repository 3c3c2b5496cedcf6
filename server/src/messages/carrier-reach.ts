/**
 * Whether any carrier accepts SMS: it reports several failures in a row without a success, of which none concerns the
 * number or the text.
 */
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { CarryFailure, type MessageCarrier } from './message.ts';

const FAILURES = 3;
/** Older failures say nothing of now. */
const STALE_MS = 30 * MINUTE_MS;

export class CarrierReach {
  readonly #clock: Clock;
  #failures = 0;
  #since = 0;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The same carrier, which records how each delivery ends. */
  watched(carrier: MessageCarrier): MessageCarrier {
    if (carrier.channel !== 'sms') return carrier;
    return {
      name: carrier.name,
      channel: carrier.channel,
      carry: async (message) => {
        try {
          await carrier.carry(message);
          this.#failures = 0;
        } catch (error) {
          if (!(error instanceof CarryFailure && error.isOfMessage)) this.#failed();
          throw error;
        }
      },
    };
  }

  #failed(): void {
    const nowMs = this.#clock.now();
    if (this.#failures === 0 || nowMs - this.#last > STALE_MS) {
      this.#failures = 0;
      this.#since = nowMs;
    }
    this.#failures++;
    this.#last = nowMs;
  }

  /** Since when none was accepted; undefined where nothing is known. */
  refusedSince(): number | undefined {
    const isNews = this.#failures >= FAILURES && this.#clock.now() - this.#last <= STALE_MS;
    return isNews ? this.#since : undefined;
  }
}
