import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedis, type RedisClient } from '../../src/platform/redis/index.ts';
import { createReplays, type KeptReplay, type Replays } from '../../src/replay/index.ts';
import { BOUNDS, framesFor, headOf, ReadingSink, replaysSuite } from '../conformance/replays.suite.ts';
import { MovedClock } from '../harness/moved-clock.ts';
import { eventually } from '../services/eventually.ts';
import { handBackground } from '../services/hand-background.ts';
import { type RedisService, redisMissing, startRedis } from '../services/redis.ts';
import { startRedisCluster } from '../services/redis-cluster.ts';

async function connect(url: string): Promise<RedisClient> {
  const client = createRedis({ url });
  await once(client, 'ready');
  return client;
}

async function replicaOn(url: string): Promise<Replays> {
  const options = { bounds: () => BOUNDS, clock: new MovedClock(), background: handBackground().background };
  return createReplays(options, { redis: await connect(url), subscriber: await connect(url) });
}

describe.skipIf(redisMissing())('over two replicas', () => {
  const stage = (start: () => Promise<{ url: string; stop(): Promise<void> }>) => async () => {
    const redis = await start();
    const [maker, reader] = [await replicaOn(redis.url), await replicaOn(redis.url)];
    return {
      maker,
      reader,
      // Redis has its own clock, and the suite looks until it has passed.
      pass: async () => undefined,
      end: async () => {
        maker.close();
        reader.close();
        await redis.stop();
      },
    };
  };
  replaysSuite('by Redis', stage(startRedis));
  replaysSuite('by a cluster', stage(startRedisCluster));

  describe('what is left of a stream', () => {
    let redis: RedisService;
    let maker: Replays;
    let reader: Replays;
    beforeAll(async () => {
      redis = await startRedis();
      [maker, reader] = [await replicaOn(redis.url), await replicaOn(redis.url)];
    });
    afterAll(async () => {
      maker?.close();
      reader?.close();
      await redis?.stop();
    });

    it('whose maker fell silent is given, and its end told in the words of its protocol', async () => {
      const head = headOf();
      const frames = framesFor(4);
      void maker.open(head, undefined).append(frames);
      await maker.flush();
      const client = await connect(redis.url);
      const ttl = await client.pttl(`dargah:replay:{${head.requestId}}:alive`);
      expect(ttl).toBeGreaterThan(0);
      expect(ttl).toBeLessThanOrEqual(15_000);
      const found = (await reader.find(head.requestId, 'acme')) as KeptReplay;
      expect(found.length).toBeUndefined();
      const sink = new ReadingSink();
      const reading = found.play(sink, 2);
      // As its heartbeat ends by itself.
      await client.del(`dargah:replay:{${head.requestId}}:alive`);
      await reading;
      expect(sink).toMatchObject({ text: frames.slice(2).join('') + head.lost, ending: 'end' });
      client.disconnect();
    });

    it('that was written while Redis was away reaches it when it is back, whole and once', async () => {
      const head = headOf();
      const frames = framesFor(6);
      const writer = maker.open(head, undefined);
      void writer.append(frames.slice(0, 2));
      await maker.flush();
      redis.freeze();
      void writer.append(frames.slice(2, 4));
      const flushing = maker.flush();
      redis.thaw();
      await flushing;
      void writer.append(frames.slice(4));
      writer.finish('complete');
      await eventually(async () => {
        const found = (await reader.find(head.requestId, 'acme')) as KeptReplay;
        expect(found?.length).toBe(6);
        const sink = new ReadingSink();
        await found.play(sink, 0);
        expect(sink).toMatchObject({ text: frames.join(''), ending: 'end' });
      });
    });
  });
});
