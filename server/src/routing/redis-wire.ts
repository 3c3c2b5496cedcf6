/** News between replicas over one channel of Redis. While Redis is away nothing is sent and nothing is kept. */
import type { RedisClient } from '../platform/redis/index.ts';
import type { NewsWire } from './news.ts';

/** Two connections: one that listens can do nothing else. */
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
    // A connection that broke again is subscribed when it is back.
    subscriber.subscribe(channel).then(
      () => onReady(),
      () => undefined,
    );
  };
  subscriber.on('ready', subscribe);
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
