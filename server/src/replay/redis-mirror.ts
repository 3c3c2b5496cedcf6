/**
 * Writes streams of this process to Redis for the other replicas: one Redis stream per request, an entry per turn of
 * the event loop, and a heartbeat. No request waits for it. While Redis is away entries wait here, within a bound;
 * beyond the bound only this process can continue the answer.
 */
import { after, type Clock } from '../core/clock.ts';
import type { RedisClient } from '../platform/redis/index.ts';
import type { ReplayMirror } from './local-replays.ts';
import type { ReplayEnd } from './replay-buffer.ts';
import type { ReplayHead } from './replays.ts';

/** One hash tag per request, so that a cluster keeps its keys together. */
export const keysOf = (requestId: string) => ({
  head: `dargah:replay:{${requestId}}:head`,
  frames: `dargah:replay:{${requestId}}:frames`,
  alive: `dargah:replay:{${requestId}}:alive`,
  news: `dargah:replay:{${requestId}}:news`,
});

/** After this time without a heartbeat the maker counts as dead. */
const ALIVE_MS = 15_000;
export const HEARTBEAT_MS = 5_000;
/** How long keys of a running stream outlive its maker, beside the time they are kept. */
const GRACE_MS = 60_000;
const RETRY_MS = 250;
const MAX_WAITING_BYTES = 4 << 20;

export class RedisMirror implements ReplayMirror {
  readonly #redis: RedisClient;
  readonly #clock: Clock;
  readonly #running = new Map<string, MirroredStream>();

  constructor(redis: RedisClient, clock: Clock) {
    this.#redis = redis;
    this.#clock = clock;
  }

  opened(head: ReplayHead): void {
    const done = () => this.#running.delete(head.requestId);
    this.#running.set(head.requestId, new MirroredStream(head, this.#redis, this.#clock, done));
  }

  wrote(requestId: string, first: number, frames: readonly string[]): void {
    this.#running.get(requestId)?.wrote(first, frames);
  }

  trimmed(requestId: string, dropped: number): void {
    this.#running.get(requestId)?.trimmed(dropped);
  }

  ended(requestId: string, end: ReplayEnd, length: number): void {
    this.#running.get(requestId)?.ended(end, length);
  }

  forgotten(requestId: string): void {
    const { head, frames, alive } = keysOf(requestId);
    this.#running.delete(requestId);
    this.#redis.del(head, frames, alive).catch(() => undefined);
  }

  async heartbeat(): Promise<void> {
    for (const stream of this.#running.values()) stream.heartbeat();
  }

  async flush(): Promise<void> {
    await Promise.all([...this.#running.values()].map((stream) => stream.flushed()));
  }
}

/** What is sent to Redis next, in one round trip. */
interface Batch {
  first: number;
  frames: string[];
}

class MirroredStream {
  readonly #head: ReplayHead;
  readonly #redis: RedisClient;
  readonly #clock: Clock;
  readonly #onDone: () => void;
  #batch: Batch | undefined;
  /** Entries without a reply yet. Each is sent again unchanged: under the same number Redis may have it already. */
  #unanswered: Batch[] = [];
  #bytes = 0;
  #opened = false;
  #dropped = 0;
  #trimmed = 0;
  #end: { end: ReplayEnd; length: number } | undefined;
  #scheduled = false;
  #flushing: Promise<void> | undefined;
  #isBroken = false;

  constructor(head: ReplayHead, redis: RedisClient, clock: Clock, onDone: () => void) {
    this.#head = head;
    this.#redis = redis;
    this.#clock = clock;
    this.#onDone = onDone;
    this.#schedule();
  }

  wrote(first: number, frames: readonly string[]): void {
    if (this.#isBroken || frames.length === 0) return;
    this.#batch ??= { first, frames: [] };
    for (const frame of frames) {
      this.#batch.frames.push(frame);
      this.#bytes += frame.length;
    }
    if (this.#bytes > MAX_WAITING_BYTES) this.#giveUp();
    else this.#schedule();
  }

  trimmed(dropped: number): void {
    this.#dropped = dropped;
  }

  ended(end: ReplayEnd, length: number): void {
    this.#end = { end, length };
    this.#schedule();
  }

  heartbeat(): void {
    if (this.#isBroken) return;
    const { alive, head, frames } = keysOf(this.#head.requestId);
    const ttl = this.#head.keepMs + GRACE_MS;
    const heartbeat = this.#redis.pipeline().set(alive, '1', 'PX', ALIVE_MS).pexpire(head, ttl).pexpire(frames, ttl);
    heartbeat.exec().catch(() => undefined);
  }

  /** Resolves once everything written so far is in Redis, or Redis is away. */
  async flushed(): Promise<void> {
    await this.#flush().catch(() => undefined);
  }

  /**
   * A reader could not see a gap, so nothing more is sent. The heartbeat ends, and readers on other replicas are told.
   */
  #giveUp(): void {
    this.#isBroken = true;
    this.#batch = undefined;
    this.#unanswered = [];
    this.#onDone();
  }

  #schedule(): void {
    if (this.#scheduled || this.#isBroken) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush().catch(() => after(this.#clock, RETRY_MS, () => this.#schedule()));
    });
  }

  async #flush(): Promise<void> {
    if (this.#flushing) await this.#flushing.catch(() => undefined);
    if (this.#isBroken || !this.#hasNews()) return;
    this.#flushing = this.#send();
    try {
      await this.#flushing;
    } finally {
      this.#flushing = undefined;
    }
    if (this.#hasNews()) this.#schedule();
  }

  #hasNews(): boolean {
    return !this.#opened || this.#batch !== undefined || this.#unanswered.length > 0 || this.#end !== undefined;
  }

  async #send(): Promise<void> {
    const end = this.#end;
    const dropped = this.#dropped;
    const batches = this.#batch ? [...this.#unanswered, keptOf(this.#batch, dropped)] : this.#unanswered;
    this.#unanswered = batches;
    this.#batch = undefined;
    const results = await this.#commands(batches, dropped, end).exec();
    for (const [error] of results ?? []) if (error && !isRepeated(error)) throw error;
    this.#opened = true;
    this.#trimmed = dropped;
    this.#unanswered = [];
    this.#bytes = this.#batch ? textOf(this.#batch).length : 0;
    if (!end) return;
    this.#end = undefined;
    this.#onDone();
  }

  #commands(batches: readonly Batch[], dropped: number, end: { end: ReplayEnd; length: number } | undefined) {
    const keys = keysOf(this.#head.requestId);
    const ttl = this.#head.keepMs + (end ? 0 : GRACE_MS);
    const commands = this.#redis.pipeline();
    if (!this.#opened)
      commands.set(keys.head, JSON.stringify(this.#head), 'PX', ttl).set(keys.alive, '1', 'PX', ALIVE_MS);
    for (const batch of batches) commands.xadd(keys.frames, `${batch.first}-0`, 'f', textOf(batch));
    if (end) commands.xadd(keys.frames, `${end.length + 1}-0`, 'e', end.end).pexpire(keys.head, ttl);
    if (dropped > this.#trimmed) commands.xtrim(keys.frames, 'MINID', `${dropped + 1}-0`);
    if (!this.#opened || end) commands.pexpire(keys.frames, ttl);
    return commands.publish(keys.news, '');
  }
}

/** Leaves out frames that were dropped before they were sent. */
function keptOf({ first, frames }: Batch, dropped: number): Batch {
  const gone = Math.min(Math.max(0, dropped + 1 - first), frames.length - 1);
  return { first: first + gone, frames: frames.slice(gone) };
}

function textOf({ frames }: Batch): string {
  return frames.join('');
}

/** The entry reached Redis the first time, and only the reply was lost. */
function isRepeated({ message }: Error): boolean {
  return message.includes('equal or smaller');
}
