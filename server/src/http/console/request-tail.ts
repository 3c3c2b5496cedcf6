/** The requests of an account as they end; each is reported once. */
import type { Clock } from '../../core/clock.ts';
import type { RequestFilter, RequestLog, RequestRecord } from '../../requestlog/index.ts';

/** A request appears when it ends, and its id tells when it began. */
const BACK_MS = 15 * 60_000;
const MAX_AT_ONCE = 200;
const MAX_SEEN = 2_000;

export class RequestTail {
  readonly #log: Pick<RequestLog, 'list'>;
  readonly #clock: Clock;
  readonly #filter: RequestFilter;
  readonly #seen = new Set<string>();

  constructor({ log, clock }: { log: Pick<RequestLog, 'list'>; clock: Clock }, filter: RequestFilter) {
    this.#log = log;
    this.#clock = clock;
    this.#filter = filter;
  }

  /** Returns those that ended since the last poll, oldest first; at the first poll all of the last minutes. */
  async look(): Promise<RequestRecord[]> {
    const from = this.#clock.now() - BACK_MS;
    const { requests } = await this.#log.list({ ...this.#filter, from }, { limit: MAX_AT_ONCE });
    const ended = requests.filter(({ id, state }) => state !== 'running' && !this.#seen.has(id)).reverse();
    for (const { id } of ended) this.#seen.add(id);
    // The oldest are dropped; a poll reaches back over far fewer than are kept.
    if (this.#seen.size > MAX_SEEN)
      for (const id of this.#seen) if (this.#seen.delete(id) && this.#seen.size <= MAX_SEEN / 2) break;
    return ended;
  }
}
