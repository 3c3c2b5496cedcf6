/**
 * Limits how often outsiders can make us ask a gateway about one order, because a gateway that is asked too often
 * blocks the whole shop. A refusal loses nothing: the reconciler asks anyway, some seconds later.
 */
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { boundedCache } from '../platform/bounded-cache.ts';

const MAX = 20;
const SPAN_MS = 60_000;
/** Beyond this many orders at once the oldest count is dropped. */
const MAX_KNOWN = 10_000;

export class OrderQuestionLimit {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #asked = boundedCache<{ since: number; count: number }>(MAX_KNOWN);

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Counts one question about an order; throws when there were too many. */
  count(order: string): void {
    const now = this.#clock.monotonicMs();
    const known = this.#asked.get(order);
    const span = known && now - known.since < SPAN_MS ? known : { since: now, count: 0 };
    if (span.count >= MAX) throw new GatewayError('rate_limited', { retryAfterMs: span.since + SPAN_MS - now });
    span.count++;
    this.#asked.set(order, span);
  }
}
