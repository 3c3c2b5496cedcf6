/** Carries news between replicas over one channel of Redis. While Redis is away nothing is sent or kept. */
import type { RedisClient } from '../platform/redis/index.ts';
import type { NewsWire } from './news.ts';

const HEAR_EACH_OTHER_MS = 5_000;

/** Two connections, because one that subscribes can send nothing else. */
export interface RedisWireOptions {
  publisher: RedisClient;
  subscriber: RedisClient;
  channel?: string;
}

export interface RedisWire extends NewsWire {
  close(): void;
}

export function createRedisWire({ publisher, subscriber, channel = '{dargah}:routing' }: RedisWireOptions): RedisWire {
  let onReady: () => void = () => undefined;
  let onText: (text: string) => void = () => undefined;
  const subscribe = (): void => {
    // A connection subscribes again whenever it is back.
    subscriber.subscribe(channel).then(
      () => {
        onReady();
        // Nodes of a cluster that start together do not hear each other at once: what is known is asked for once more.
        if ('nodes' in subscriber) setTimeout(() => onReady(), HEAR_EACH_OTHER_MS).unref();
      },
      () => undefined,
    );
  };
  subscriber.on('ready', subscribe);
  // A cluster listens on one of its nodes, and on another when that is gone; what was sent meanwhile is asked for again.
  subscriber.on('+subscriber', subscribe);
  if (subscriber.status === 'ready') subscribe();
  subscriber.on('message', (_channel: string, text: string) => onText(text));
  return {
    send(text) {
      publisher.publish(channel, text).catch(() => undefined);
    },
    onText(listener) {
      onText = listener;
    },
    onReady(listener) {
      onReady = listener;
    },
    close() {
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}
