/**
 * Replay buffers over several replicas: what another replica makes or made is read from Redis (redis-mirror.ts writes
 * it).
 */
import type { Sink } from '../core/answer.ts';
import { after, type Clock } from '../core/clock.ts';
import { parseTrustedJson } from '../core/json.ts';
import type { Background } from '../platform/background.ts';
import type { RedisClient } from '../platform/redis/index.ts';
import { LocalReplays } from './local-replays.ts';
import { framesOf, numberOf } from './number-frames.ts';
import { HEARTBEAT_MS, keysOf, RedisMirror } from './redis-mirror.ts';
import {
  type FoundReplay,
  ownerOf,
  type ReplayBounds,
  type ReplayHead,
  type Replays,
  type ReplayWriter,
} from './replays.ts';

export interface ReplaysOptions {
  bounds: () => ReplayBounds;
  clock: Clock;
  background: Background;
}

/** Two connections, because one that subscribes can send nothing else. */
export interface RedisPair {
  redis: RedisClient;
  subscriber: RedisClient;
}

const SWEEP_MS = 1_000;
/** How often a reader polls when no message arrives. */
const LOOK_MS = 1_000;
const ENTRIES_PER_READ = 128;
const CANCELS = 'dargah:replay:cancels';

export function createReplays({ bounds, clock, background }: ReplaysOptions, pair?: RedisPair): Replays {
  const mirror = pair && new RedisMirror(pair.redis, clock);
  const local = new LocalReplays(bounds, clock, mirror);
  background.every(SWEEP_MS, 'streams to continue', async () => local.sweep());
  if (!pair || !mirror) return local;
  background.every(HEARTBEAT_MS, 'heartbeats of streams', () => mirror.heartbeat());
  return new SharedReplays(local, mirror, pair, clock);
}

class SharedReplays implements Replays {
  readonly #local: LocalReplays;
  readonly #mirror: RedisMirror;
  readonly #pair: RedisPair;
  readonly #news: News;
  readonly #clock: Clock;

  constructor(local: LocalReplays, mirror: RedisMirror, pair: RedisPair, clock: Clock) {
    this.#local = local;
    this.#mirror = mirror;
    this.#pair = pair;
    this.#clock = clock;
    this.#news = new News(pair.subscriber, (requestId) => local.stop(requestId));
  }

  open(head: ReplayHead, cancel: (() => void) | undefined): ReplayWriter {
    return this.#local.open(head, cancel);
  }

  async find(requestId: string, accountId: string, personId?: string): Promise<FoundReplay> {
    const found = await this.#local.find(requestId, accountId, personId);
    if (found) return found;
    const { redis } = this.#pair;
    const keys = keysOf(requestId);
    const [text, [first], [last]] = await Promise.all([
      redis.get(keys.head),
      redis.xrange(keys.frames, '-', '+', 'COUNT', 1),
      redis.xrevrange(keys.frames, '+', '-', 'COUNT', 1),
    ]);
    const head = text === null ? undefined : (parseTrustedJson(text) as unknown as ReplayHead | undefined);
    if (!head || ownerOf(head.accountId, head.personId) !== ownerOf(accountId, personId)) return undefined;
    const hasEnded = last?.[1][0] === 'e';
    return {
      head,
      dropped: first ? entryNumber(first[0]) - 1 : 0,
      length: hasEnded ? entryNumber(last[0]) - 1 : undefined,
      play: (sink, from) => new RemoteReader(head, redis, this.#news, this.#clock).play(sink, from),
    };
  }

  async cancel(requestId: string, accountId: string, personId?: string): Promise<boolean> {
    if (await this.#local.cancel(requestId, accountId, personId)) return true;
    const found = await this.find(requestId, accountId, personId);
    if (found === undefined || found === 'dropped' || found.length !== undefined) return false;
    await this.#pair.redis.publish(CANCELS, requestId);
    return true;
  }

  flush(): Promise<void> {
    return this.#mirror.flush();
  }

  close(): void {
    this.#pair.redis.disconnect();
    this.#pair.subscriber.disconnect();
  }
}

/** Follows a stream that another replica makes. */
class RemoteReader {
  readonly #head: ReplayHead;
  readonly #redis: RedisClient;
  readonly #news: News;
  readonly #clock: Clock;
  /** How many frames the reader has received. */
  #at = 0;
  /** The id of the last entry that was read. */
  #entry: string | undefined;

  constructor(head: ReplayHead, redis: RedisClient, news: News, clock: Clock) {
    this.#head = head;
    this.#redis = redis;
    this.#news = news;
    this.#clock = clock;
  }

  async play(sink: Sink, from: number): Promise<void> {
    this.#at = from;
    const { requestId } = this.#head;
    const listening = this.#news.listen(keysOf(requestId).news);
    try {
      while (!sink.gone) {
        const heard = listening.next();
        const read = await this.#read(sink);
        if (read === 'complete') return sink.end();
        if (read === 'cut') return sink.cut();
        if (read === 'more') continue;
        if (!(await this.#isAlive())) return await this.#endLost(sink);
        await Promise.race([heard, new Promise<void>((resolve) => after(this.#clock, LOOK_MS, resolve))]);
      }
    } catch {
      // Redis is away: the reader is cut off, comes back, and may then reach the maker itself.
      sink.cut();
    } finally {
      listening.stop();
    }
  }

  async #read(sink: Sink): Promise<'complete' | 'cut' | 'more' | 'nothing'> {
    const { frames: key } = keysOf(this.#head.requestId);
    const entries = await this.#redis.xrange(key, await this.#start(key), '+', 'COUNT', ENTRIES_PER_READ);
    for (const [id, [field, text = '']] of entries) {
      this.#entry = id;
      if (field === 'e') return text === 'complete' ? 'complete' : 'cut';
      const fresh = framesOf(text).filter((frame) => numberOf(frame) > this.#at);
      const [first, last] = [fresh[0], fresh.at(-1)];
      if (first === undefined || last === undefined) continue;
      // The frame that the reader needs next was dropped meanwhile.
      if (numberOf(first) > this.#at + 1) return 'cut';
      this.#at = numberOf(last);
      await sink.write(fresh.join(''));
    }
    return entries.length > 0 ? 'more' : 'nothing';
  }

  /** Reads after the last entry; at first, from the entry that holds the next frame. */
  async #start(key: string): Promise<string> {
    if (this.#entry !== undefined) return `(${this.#entry}`;
    const [holding] = await this.#redis.xrevrange(key, `${this.#at + 1}-0`, '-', 'COUNT', 1);
    return holding?.[0] ?? '-';
  }

  async #isAlive(): Promise<boolean> {
    return (await this.#redis.exists(keysOf(this.#head.requestId).alive)) === 1;
  }

  /**
   * The maker's last frames may have come between reading the frames and checking its heartbeat, so they are read once
   * more.
   */
  async #endLost(sink: Sink): Promise<void> {
    for (let read = await this.#read(sink); read !== 'nothing'; read = await this.#read(sink)) {
      if (read === 'complete') return sink.end();
      if (read === 'cut') return sink.cut();
    }
    await sink.write(this.#head.lost);
    sink.end();
  }
}

/** Wakes readers when their stream has grown, and receives orders to cancel. */
class News {
  readonly #subscriber: RedisClient;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(subscriber: RedisClient, onCancel: (requestId: string) => void) {
    this.#subscriber = subscriber;
    const subscribe = () => void this.#subscriber.subscribe(CANCELS, ...this.#waiting.keys()).catch(() => undefined);
    subscriber.on('ready', subscribe);
    subscriber.on('+subscriber', subscribe);
    if (subscriber.status === 'ready') subscribe();
    subscriber.on('message', (channel: string, text: string) => {
      if (channel === CANCELS) onCancel(text);
      for (const wake of this.#waiting.get(channel) ?? []) wake();
    });
  }

  listen(channel: string): { next(): Promise<void>; stop(): void } {
    const wakes = this.#waiting.get(channel) ?? new Set<() => void>();
    if (wakes.size === 0) void this.#subscriber.subscribe(channel).catch(() => undefined);
    this.#waiting.set(channel, wakes);
    let wake = (): void => undefined;
    const woken = () => wake();
    wakes.add(woken);
    return {
      next: () =>
        new Promise((resolve) => {
          wake = resolve;
        }),
      stop: () => {
        wakes.delete(woken);
        if (wakes.size > 0 || this.#waiting.get(channel) !== wakes) return;
        this.#waiting.delete(channel);
        void this.#subscriber.unsubscribe(channel).catch(() => undefined);
      },
    };
  }
}

/** The id of an entry is the number of its first frame. */
function entryNumber(id: string): number {
  return Number.parseInt(id, 10);
}
