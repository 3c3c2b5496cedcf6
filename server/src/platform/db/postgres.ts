/** A PostgreSQL server, shared by every replica. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';
import { DatabaseNotUsable } from './failures.ts';
import { listenForChanges } from './listener.ts';
import { createPooledDatabase, type PoolHealth } from './pooled-database.ts';
import { valueTypes } from './value-types.ts';

const CHANNEL = 'dargah';

const POOL_SIZE = 10;
/** Also the wait for a free connection of the pool: a busy moment must not look like a database that is down. */
const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/** Longer than the server's own limit, for the case that the server is gone and says nothing. */
const ANSWER_TIMEOUT_MS = 20_000;
const START_RETRY_MS = 500;

export interface PostgresOptions {
  databaseUrl: string;
  log: Log;
  clock: Clock;
  /** How long a start waits for a database that is not up yet, as when both start together. */
  startWaitMs?: number;
}

export async function openPostgres({
  databaseUrl,
  log,
  clock,
  startWaitMs = 10_000,
}: PostgresOptions): Promise<Database> {
  const connection: pg.ClientConfig = {
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'dargah',
    types: valueTypes,
  };
  const pool = new pg.Pool({
    ...connection,
    max: POOL_SIZE,
    idleTimeoutMillis: 60_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  });
  const health: PoolHealth = { reachable: true };
  // Without a listener, an idle connection that dies would end the process.
  pool.on('error', (err) => {
    health.reachable = false;
    log.warn({ err }, 'an idle database connection was lost');
  });
  try {
    await waitUntilReachable(pool, placeOf(databaseUrl), log, clock, startWaitMs);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const listener = await listenForChanges({ connection, channel: CHANNEL, log, health });
  return createPooledDatabase(
    'postgres',
    pool,
    {
      async publish(tx, topic, id) {
        await tx.query('select pg_notify($1, $2)', [CHANNEL, `${topic}:${id}`]);
      },
      committed: () => {},
      subscribe: listener.subscribe,
      close: listener.close,
    },
    health,
  );
}

/** The address without its password, for messages. */
function placeOf(databaseUrl: string): string {
  const { hostname, port } = new URL(databaseUrl);
  return `${hostname || 'localhost'}:${port || '5432'}`;
}

async function waitUntilReachable(pool: pg.Pool, place: string, log: Log, clock: Clock, waitMs: number): Promise<void> {
  const deadline = clock.monotonicMs() + waitMs;
  for (;;) {
    try {
      await pool.query('select 1');
      return;
    } catch (error) {
      if (clock.monotonicMs() + START_RETRY_MS > deadline) {
        // Where a name has several addresses, Node's error has a code and no words.
        const { message, code } = error as NodeJS.ErrnoException;
        throw new DatabaseNotUsable(`cannot reach PostgreSQL at ${place} (DATABASE_URL): ${message || code}`, {
          cause: error,
        });
      }
      log.warn({ err: error }, 'waiting for PostgreSQL');
      await sleep(START_RETRY_MS);
    }
  }
}
