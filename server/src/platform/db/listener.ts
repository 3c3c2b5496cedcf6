/**
 * Hears what other replicas publish, on one connection of its own. When the connection is lost it comes back by itself,
 * and tells subscribers that messages may have been missed.
 */
import pg from 'pg';
import type { Log } from '../log.ts';
import type { PoolHealth } from './pooled-database.ts';
import { createSubscriptions } from './subscriptions.ts';

const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 2_000;
/** A heartbeat query finds a connection that died silently. */
const HEARTBEAT_MS = 5_000;
const HEARTBEAT_TIMEOUT_MS = 3_000;

export interface ListenerOptions {
  connection: pg.ClientConfig;
  channel: string;
  log: Log;
  health: PoolHealth;
}

export interface Listener {
  subscribe(topic: string, onChange: (id: string) => void, lost: () => void): () => void;
  close(): Promise<void>;
}

export async function listenForChanges({ connection, channel, log, health }: ListenerOptions): Promise<Listener> {
  const subscriptions = createSubscriptions(log);
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function dropped(which: pg.Client, err: unknown): void {
    // Errors may arrive several times for one connection; only the first starts a reconnect.
    if (closed || client !== which) return;
    client = undefined;
    clearTimeout(timer);
    log.warn({ err }, 'the connection that hears database changes was lost');
    which.end().catch(() => {});
    retryAfter(FIRST_RETRY_MS);
  }

  function retryAfter(delayMs: number): void {
    timer = setTimeout(() => {
      connect().then(
        () => subscriptions.lost(),
        (err: unknown) => {
          if (closed) return;
          log.debug({ err }, 'reconnecting to the database failed');
          retryAfter(Math.min(delayMs * 2, MAX_RETRY_MS));
        },
      );
    }, delayMs);
    timer.unref();
  }

  function heartbeatLater(which: pg.Client): void {
    timer = setTimeout(() => {
      which.query('select 1').then(
        () => {
          if (client === which) heartbeatLater(which);
        },
        (err: unknown) => dropped(which, err),
      );
    }, HEARTBEAT_MS);
    timer.unref();
  }

  async function connect(): Promise<void> {
    const next = new pg.Client({ ...connection, query_timeout: HEARTBEAT_TIMEOUT_MS });
    next.on('error', (err) => dropped(next, err));
    next.on('end', () => dropped(next, new Error('closed by the server')));
    try {
      await listen(next, channel, subscriptions.deliver);
    } catch (error) {
      health.reachable = false;
      next.end().catch(() => {});
      throw error;
    }
    if (closed) return next.end();
    client = next;
    health.reachable = true;
    heartbeatLater(next);
  }

  await connect();
  return {
    subscribe: subscriptions.add,
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}

async function listen(client: pg.Client, channel: string, deliver: (topic: string, id: string) => void): Promise<void> {
  client.on('notification', ({ payload }) => {
    const text = payload ?? '';
    const colon = text.indexOf(':');
    if (colon > 0) deliver(text.slice(0, colon), text.slice(colon + 1));
  });
  await client.connect();
  await client.query(`listen ${channel}`);
}
