import { describe } from 'vitest';
import { createRedis } from '../../src/platform/redis/index.ts';
import { createRedisWire } from '../../src/routing/index.ts';
import type { NewsWire } from '../../src/routing/news.ts';
import { routingNewsSuite } from '../conformance/routing-news.suite.ts';
import { redisMissing, startRedis } from '../services/redis.ts';
import { startRedisCluster } from '../services/redis-cluster.ts';

/** Every replica in this process. */
class MemoryHub {
  readonly #ends = new Set<{ text: (text: string) => void; ready: () => void }>();
  #open = true;

  wire(): NewsWire {
    const end = { text: (_: string): void => undefined, ready: (): void => undefined };
    this.#ends.add(end);
    setImmediate(() => this.#open && end.ready());
    return {
      send: (text) => {
        if (this.#open) for (const other of this.#ends) other.text(text);
      },
      onText: (listener) => {
        end.text = listener;
      },
      onReady: (listener) => {
        end.ready = listener;
      },
    };
  }

  setOpen(open: boolean): void {
    this.#open = open;
    if (open) for (const end of this.#ends) end.ready();
  }
}

routingNewsSuite('in memory', async () => {
  const hub = new MemoryHub();
  return {
    wire: () => hub.wire(),
    cut: async () => hub.setOpen(false),
    mend: async () => hub.setOpen(true),
    end: async () => undefined,
  };
});

describe.skipIf(redisMissing())('on a real cluster of Redis', () => {
  routingNewsSuite('by a cluster', async () => {
    const cluster = await startRedisCluster();
    const wires: ReturnType<typeof createRedisWire>[] = [];
    return {
      wire: () => {
        const { url } = cluster;
        const wire = createRedisWire({ publisher: createRedis({ url }), subscriber: createRedis({ url }) });
        wires.push(wire);
        return wire;
      },
      cut: async () => void (await Promise.all(cluster.ports.map((_, node) => cluster.kill(node)))),
      mend: async () => void (await Promise.all(cluster.ports.map((_, node) => cluster.start(node)))),
      end: async () => {
        for (const wire of wires) wire.close();
        await cluster.stop();
      },
    };
  });
});

describe.skipIf(redisMissing())('on a real Redis', () => {
  routingNewsSuite('by Redis', async () => {
    const service = await startRedis();
    const wires: ReturnType<typeof createRedisWire>[] = [];
    return {
      wire: () => {
        const { url } = service;
        const wire = createRedisWire({ publisher: createRedis({ url }), subscriber: createRedis({ url }) });
        wires.push(wire);
        return wire;
      },
      cut: () => service.kill(),
      mend: () => service.start(),
      end: async () => {
        for (const wire of wires) wire.close();
        await service.stop();
      },
    };
  });
});
