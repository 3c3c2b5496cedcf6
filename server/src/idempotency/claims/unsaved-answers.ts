/**
 * Ends of requests on their way to the database, a few at a time. While it is away they wait here, bounded: the bytes of the
 * oldest are given up first, for the fact alone already prevents a second charge.
 */
import type { Log } from '../../platform/log.ts';
import type { Claimant } from './claim-rows.ts';
import type { SharedAnswer } from './shared-answer.ts';

export interface Unsaved {
  claimant: Claimant;
  answer: SharedAnswer | undefined;
}

export interface UnsavedOptions {
  maxBytes: number;
  save(unsaved: Unsaved): Promise<void>;
  /** Called when a claim needs no more heartbeats: its end was saved or given up. */
  onSettled(claimant: Claimant): void;
  log: Log;
}

const MAX_ENTRIES = 10_000;
/** Few, because the other connections are needed for claims, on which requests wait, and for charges. */
const AT_ONCE = 3;

export class UnsavedAnswers {
  /** In the order in which the answers ended. */
  readonly #entries = new Map<string, Unsaved>();
  readonly #writing = new Map<string, Promise<void>>();
  readonly #options: UnsavedOptions;
  #bytes = 0;
  #failing = false;

  constructor(options: UnsavedOptions) {
    this.#options = options;
  }

  put(unsaved: Unsaved): void {
    this.#entries.set(unsaved.claimant.requestId, unsaved);
    this.#bytes += bytesOf(unsaved);
    this.#makeRoom();
    if (!this.#failing) this.#startNext();
  }

  /** Tries again what failed, and starts what waits. */
  retry(nowMs: number): void {
    for (const unsaved of this.#entries.values()) if (unsaved.claimant.expiresAt <= nowMs) this.#remove(unsaved);
    this.#failing = false;
    this.#startNext();
  }

  /** Resolves when nothing waits any more, or the database does not take it. */
  async flush(): Promise<void> {
    this.#failing = false;
    this.#startNext();
    while (this.#writing.size > 0) await Promise.all(this.#writing.values());
  }

  #startNext(): void {
    for (const [requestId, unsaved] of this.#entries) {
      if (this.#writing.size >= AT_ONCE) return;
      if (!this.#writing.has(requestId)) this.#writing.set(requestId, this.#write(unsaved));
    }
  }

  async #write(unsaved: Unsaved): Promise<void> {
    const { requestId } = unsaved.claimant;
    try {
      await this.#options.save(unsaved);
      this.#remove(unsaved);
    } catch (error) {
      if (!this.#failing) this.#options.log.warn({ err: error, requestId }, 'answers under an Idempotency-Key wait');
      this.#failing = true;
      // It moves to the end, so that an answer that the database never accepts does not block the others.
      if (this.#entries.delete(requestId)) this.#entries.set(requestId, unsaved);
    } finally {
      this.#writing.delete(requestId);
    }
    if (!this.#failing) this.#startNext();
  }

  #makeRoom(): void {
    for (const unsaved of this.#entries.values()) {
      if (this.#bytes <= this.#options.maxBytes) break;
      this.#bytes -= bytesOf(unsaved);
      unsaved.answer = undefined;
    }
    for (const unsaved of this.#entries.values()) {
      if (this.#entries.size <= MAX_ENTRIES) return;
      this.#remove(unsaved);
      const { requestId } = unsaved.claimant;
      this.#options.log.warn({ requestId }, 'an Idempotency-Key was given up: the database does not take it');
    }
  }

  #remove(unsaved: Unsaved): void {
    if (!this.#entries.delete(unsaved.claimant.requestId)) return;
    this.#bytes -= bytesOf(unsaved);
    this.#options.onSettled(unsaved.claimant);
  }
}

function bytesOf({ answer }: Unsaved): number {
  return answer?.body.byteLength ?? 0;
}
