/** The response cache over two replicas: kept by one and given by the other, made once, emptied everywhere, and without Redis. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/platform/db/index.ts';
import { createRedis } from '../../src/platform/redis/index.ts';
import { type ClaimedAnswer, createResponseCache, type ResponseCache } from '../../src/responsecache/index.ts';
import { MovedClock } from '../harness/moved-clock.ts';
import { eventually } from '../services/eventually.ts';
import { handBackground } from '../services/hand-background.ts';
import { redisMissing, startRedis } from '../services/redis.ts';
import { startRedisCluster } from '../services/redis-cluster.ts';

const BOUNDS = { bytesPerAnswer: 2_000, bytesPerAccount: 4_000, bytesTotal: 10_000 };
const clock = new MovedClock();

/** What one replica publishes all hear. */
function newsOfReplicas(): Database {
  const listeners: ((id: string) => void)[] = [];
  return {
    subscribe: (_topic: string, onChange: (id: string) => void) => {
      listeners.push(onChange);
      return () => undefined;
    },
    transaction: async (work: (tx: undefined) => Promise<void>) => work(undefined),
    publish: async (_tx: unknown, _topic: string, id: string) => {
      for (const listener of listeners) listener(id);
    },
  } as unknown as Database;
}

async function replicaOn(url: string, db: Database): Promise<ResponseCache> {
  const redis = createRedis({ url });
  await once(redis, 'ready');
  return createResponseCache({ bounds: () => BOUNDS, clock, background: handBackground().background, db }, redis);
}

let serial = 0;
const request = (more: object = {}) => ({
  accountId: 'acme',
  digest: `digest-${++serial}`,
  keepMs: 60_000,
  deadlineAtMs: clock.monotonicMs() + 600_000,
  ...more,
});

function first(claimed: ClaimedAnswer): (text: string | undefined) => void {
  expect(claimed.kind).toBe('first');
  return claimed.kind === 'first' ? claimed.done : () => undefined;
}

/** Looks until the other replica has it. Redis is written behind the answer's back, so a look may come too early. */
const given = (replica: ResponseCache, asked: ReturnType<typeof request>) =>
  eventually(async () => {
    const claimed = await replica.claim(asked);
    if (claimed.kind === 'first') claimed.done(undefined);
    expect(claimed.kind).toMatch(/hit|joined/);
    return 'text' in claimed ? claimed.text : undefined;
  });

const SERVICES = { 'one Redis': startRedis, 'a cluster': startRedisCluster };

describe.skipIf(redisMissing()).each(Object.entries(SERVICES))('over two replicas and %s', (_, start) => {
  let redis: { url: string; stop(): Promise<void> };
  let one: ResponseCache;
  let two: ResponseCache;
  beforeAll(async () => {
    redis = await start();
    const db = newsOfReplicas();
    [one, two] = [await replicaOn(redis.url, db), await replicaOn(redis.url, db)];
  });
  afterAll(async () => {
    one?.close();
    two?.close();
    await redis?.stop();
  });

  it('what one keeps the other gives, to the same account alone', async () => {
    const asked = request();
    first(await one.claim(asked))('the answer');
    expect(await one.claim(asked)).toEqual({ kind: 'hit', text: 'the answer' });
    expect(await given(two, asked)).toBe('the answer');
    first(await two.claim({ ...asked, accountId: 'other' }))(undefined);
    // One that wants a newer answer than there is makes it.
    first(await two.claim({ ...asked, keepMs: 0 }))(undefined);
  });

  it('what one makes the other waits for, and so do all who ask there', async () => {
    const asked = request();
    const done = first(await one.claim(asked));
    const waiting = two.claim(asked);
    const behind = await two.claim(asked);
    expect(behind.kind).toBe('made-now');
    done('made once');
    expect(await waiting).toMatchObject({ text: 'made once' });
    expect(behind.kind === 'made-now' && (await behind.ended)).toBe('made once');
  });

  it('what came to nothing is made by the next', async () => {
    const asked = request();
    const done = first(await one.claim(asked));
    const waiting = two.claim(asked);
    done(undefined);
    first(await waiting)('second');
    expect(await given(one, asked)).toBe('second');
  });

  it('what is emptied is gone everywhere, and what was being made is kept for nobody', async () => {
    const [kept, made] = [request(), request()];
    first(await one.claim(kept))('old');
    expect(await given(two, kept)).toBe('old');
    const done = first(await one.claim(made));
    await two.empty('acme');
    done('asked before');
    for (const replica of [two, one]) first(await replica.claim(kept))(undefined);
    first(await one.claim(made))(undefined);
  });

  it('what had no room is gone from Redis too, and what is too long never comes there', async () => {
    const [old, long] = [request(), request()];
    first(await one.claim(old))('x'.repeat(1_500));
    await given(two, old);
    for (let at = 0; at < 3; at++) first(await one.claim(request()))('y'.repeat(1_500));
    await eventually(async () => first(await two.claim(old))(undefined));
    first(await one.claim(long))('z'.repeat(2_001));
    first(await two.claim(long))(undefined);
  });

  it('without Redis each goes by its own memory', async () => {
    await redis.stop();
    const asked = request();
    first(await one.claim(asked))('own');
    expect(await one.claim(asked)).toEqual({ kind: 'hit', text: 'own' });
    first(await two.claim(asked))(undefined);
  });
});
