/**
 * Closed records that the disk refused. Each waits until the disk accepts it after all or the database has it,
 * whichever comes first. Nothing is dropped; only the waiting of the request is limited.
 */
import type { Deferred } from './deferred.ts';
import type { WaitingBatch } from './waiting-batches.ts';

export class JournalUnavailable extends Error {}

interface Group {
  batches: WaitingBatch[];
  waiting: Deferred;
  giveUp: NodeJS.Timeout;
}

export class StalledCloses {
  #groups: Group[] = [];
  readonly #timeoutMs: number;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  add(batches: WaitingBatch[], waiting: Deferred, cause: unknown): void {
    if (batches.length === 0) return;
    const giveUp = setTimeout(
      () => waiting.reject(new JournalUnavailable('the journal cannot write', { cause })),
      this.#timeoutMs,
    );
    this.#groups.push({ batches, waiting, giveUp });
  }

  /** Batches that neither the disk nor the database has. */
  batches(): WaitingBatch[] {
    return this.#groups.flatMap((group) => group.batches.filter((batch) => !batch.posted));
  }

  /** Called when the disk accepted everything. */
  release(): void {
    for (const group of this.#groups) settle(group);
    this.#groups = [];
  }

  /** Called when some were posted meanwhile. */
  releasePosted(): void {
    this.#groups = this.#groups.filter((group) => {
      if (group.batches.some((batch) => !batch.posted)) return true;
      settle(group);
      return false;
    });
  }
}

function settle({ giveUp, waiting }: Group): void {
  clearTimeout(giveUp);
  waiting.resolve();
}
