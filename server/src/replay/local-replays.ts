/**
 * The replay buffers of this process. Memory is bounded: ended streams are dropped first, then a running one loses its
 * oldest frames.
 */
import type { Sink } from '../core/answer.ts';
import type { Clock } from '../core/clock.ts';
import { ReplayBuffer } from './replay-buffer.ts';
import {
  type FoundReplay,
  ownerOf,
  type ReplayBounds,
  type ReplayHead,
  type Replays,
  type ReplayWriter,
} from './replays.ts';

/** Called with everything that happens to a stream, to pass it to other replicas. */
export interface ReplayMirror {
  opened(head: ReplayHead): void;
  /** `first`: the number of the first of these frames. */
  wrote(requestId: string, first: number, frames: readonly string[]): void;
  /** The frames up to `dropped` are gone. */
  trimmed(requestId: string, dropped: number): void;
  ended(requestId: string, end: 'complete' | 'cut', length: number): void;
  forgotten(requestId: string): void;
}

interface Kept {
  readonly head: ReplayHead;
  readonly buffer: ReplayBuffer;
  /** Cancels the answer; undefined once it has ended. */
  cancel: (() => void) | undefined;
  /** When it ended; undefined while it runs. */
  expiresAt: number | undefined;
}

/** The overhead of one stream beside its frames. */
const BYTES_PER_STREAM = 1_024;
/** Ids of streams that were dropped early, so that their readers are told why. */
const MAX_DROPPED = 10_000;

export class LocalReplays implements Replays {
  readonly #kept = new Map<string, Kept>();
  /** The owner of each, by its id. */
  readonly #dropped = new Map<string, string>();
  readonly #ofAccounts = new Map<string, number>();
  readonly #bounds: () => ReplayBounds;
  readonly #clock: Clock;
  readonly #mirror: ReplayMirror | undefined;
  #bytes = 0;

  constructor(bounds: () => ReplayBounds, clock: Clock, mirror?: ReplayMirror) {
    this.#bounds = bounds;
    this.#clock = clock;
    this.#mirror = mirror;
  }

  open(head: ReplayHead, cancel: (() => void) | undefined): ReplayWriter {
    const { requestId, accountId } = head;
    const buffer = new ReplayBuffer({
      maxBytes: this.#bounds().bytesPerRequest,
      onSize: (change) => this.#resize(accountId, change),
      onEnd: (end) => this.#ended(kept, end),
    });
    const kept: Kept = { head, buffer, cancel, expiresAt: undefined };
    this.#kept.set(requestId, kept);
    this.#resize(accountId, BYTES_PER_STREAM);
    this.#mirror?.opened(head);
    return new LocalWriter(kept, this.#mirror);
  }

  find(requestId: string, accountId: string, personId?: string): Promise<FoundReplay> {
    this.sweep();
    const kept = this.#kept.get(requestId);
    const owner = ownerOf(accountId, personId);
    if (!kept || ownerOf(kept.head.accountId, kept.head.personId) !== owner)
      return Promise.resolve(this.#dropped.get(requestId) === owner ? 'dropped' : undefined);
    const { head, buffer } = kept;
    return Promise.resolve({
      head,
      dropped: buffer.dropped,
      length: buffer.length,
      play: (sink, after) => buffer.play(sink, after),
    });
  }

  cancel(requestId: string, accountId: string, personId?: string): Promise<boolean> {
    const head = this.#kept.get(requestId)?.head;
    const isOwn = head !== undefined && ownerOf(head.accountId, head.personId) === ownerOf(accountId, personId);
    return Promise.resolve(isOwn && this.stop(requestId));
  }

  /** Does not check the owner: another replica has checked that already. */
  stop(requestId: string): boolean {
    const kept = this.#kept.get(requestId);
    if (!kept?.cancel) return false;
    const { cancel } = kept;
    kept.cancel = undefined;
    cancel();
    return true;
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    // Holds nothing but memory, so there is nothing to close.
  }

  /** Drops what has been kept for its time. */
  sweep(): void {
    const now = this.#clock.now();
    for (const kept of this.#kept.values())
      if (kept.expiresAt !== undefined && kept.expiresAt <= now) this.#forget(kept);
  }

  #ended(kept: Kept, end: 'complete' | 'cut'): void {
    const { head, buffer } = kept;
    kept.cancel = undefined;
    kept.expiresAt = this.#clock.now() + head.keepMs;
    this.#mirror?.ended(head.requestId, end, buffer.length);
  }

  /** True when it fits into the limits. */
  #resize(accountId: string, change: number): boolean {
    this.#bytes += change;
    const ofAccount = (this.#ofAccounts.get(accountId) ?? 0) + change;
    if (ofAccount <= 0) this.#ofAccounts.delete(accountId);
    else this.#ofAccounts.set(accountId, ofAccount);
    if (change <= 0) return this.#fits(accountId);
    for (const kept of this.#kept.values()) {
      if (this.#fits(accountId)) return true;
      const ofOthers = kept.head.accountId !== accountId;
      if (kept.expiresAt === undefined || (ofOthers && this.#bytes <= this.#bounds().bytesTotal)) continue;
      this.#forget(kept);
      this.#remember(kept.head);
    }
    return this.#fits(accountId);
  }

  #fits(accountId: string): boolean {
    const { bytesPerAccount, bytesTotal } = this.#bounds();
    return this.#bytes <= bytesTotal && (this.#ofAccounts.get(accountId) ?? 0) <= bytesPerAccount;
  }

  #forget({ head, buffer }: Kept): void {
    this.#kept.delete(head.requestId);
    buffer.forget();
    this.#resize(head.accountId, -BYTES_PER_STREAM);
    this.#mirror?.forgotten(head.requestId);
  }

  #remember({ requestId, accountId, personId }: ReplayHead): void {
    this.#dropped.set(requestId, ownerOf(accountId, personId));
    const [oldest] = this.#dropped.keys();
    if (oldest !== undefined && this.#dropped.size > MAX_DROPPED) this.#dropped.delete(oldest);
  }
}

class LocalWriter implements ReplayWriter {
  readonly #kept: Kept;
  readonly #mirror: ReplayMirror | undefined;

  constructor(kept: Kept, mirror: ReplayMirror | undefined) {
    this.#kept = kept;
    this.#mirror = mirror;
  }

  get isLost(): boolean {
    const { buffer } = this.#kept;
    return buffer.dropped > 0 && !buffer.isRead;
  }

  whole(): Uint8Array | undefined {
    const { buffer } = this.#kept;
    return buffer.dropped === 0 ? buffer.bytes() : undefined;
  }

  play(sink: Sink, after: number): Promise<void> {
    return this.#kept.buffer.play(sink, after);
  }

  append(frames: readonly string[]): Promise<void> | undefined {
    const { head, buffer } = this.#kept;
    const { dropped } = buffer;
    this.#mirror?.wrote(head.requestId, buffer.length + 1, frames);
    const waits = buffer.append(frames);
    if (buffer.dropped > dropped) this.#mirror?.trimmed(head.requestId, buffer.dropped);
    return waits;
  }

  finish(end: 'complete' | 'cut'): void {
    this.#kept.buffer.finish(end);
  }
}
