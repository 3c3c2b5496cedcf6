/**
 * The connection to Redis. Nothing waits in a queue here: a command on a broken connection fails at once, so that the
 * caller can fall back, and no command is sent a second time, since a reservation that ran twice would count twice.
 */
import { Redis } from 'ioredis';

export type RedisClient = Redis;

export interface RedisSettings {
  url: string;
  connectTimeoutMs?: number;
  /** Every failure of the connection, for the log; the client reconnects by itself. */
  onError?: (error: Error) => void;
}

const SLOWEST_RECONNECT_MS = 1_000;

export function createRedis(settings: RedisSettings): RedisClient {
  const client = new Redis(settings.url, {
    connectTimeout: settings.connectTimeoutMs ?? 1_000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(SLOWEST_RECONNECT_MS, 25 * 2 ** Math.min(attempt, 6)),
  });
  // Without a listener Node would end the process at the first refused connection.
  client.on('error', (error: Error) => settings.onError?.(error));
  return client;
}
