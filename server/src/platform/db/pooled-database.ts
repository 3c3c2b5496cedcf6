/** What both kinds of database share: a bounded pool, transactions with retry, health, and no way to deadlock on oneself. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Database, Queryable, QueryOptions, ReportOptions } from './database.ts';
import { isUnreachable, isWorthRetrying } from './failures.ts';

const MAX_ATTEMPTS = 6;
const FIRST_RETRY_MS = 4;
/** The longest time that a timer can wait. */
const MAX_SESSION_MS = 2 ** 31 - 1;

/** How news of changes travels between replicas. */
export interface Broadcast {
  /** Called inside the transaction; must reach subscribers only if and when it commits. */
  publish(tx: Queryable, topic: string, id: string): Promise<void>;
  committed(tx: Queryable): void;
  subscribe(topic: string, onChange: (id: string) => void, lost: () => void): () => void;
  close(): Promise<void>;
}

export interface PoolHealth {
  reachable: boolean;
}

export interface PooledParts {
  kind: Database['kind'];
  pool: pg.Pool;
  /** Pools of reports; undefined: there is one connection for everything. */
  reports?: Readonly<Record<ReportOptions['for'], pg.Pool>>;
  broadcast: Broadcast;
  health: PoolHealth;
  afterPool?: () => Promise<void>;
}

export function createPooledDatabase(parts: PooledParts): Database {
  const { kind, pool, reports, broadcast, health, afterPool } = parts;
  const openTransaction = watchTransactions();

  function refuseInsideTransaction(): void {
    if (openTransaction?.getStore()?.open) {
      throw new Error('the database was used inside a transaction: use the `tx` handed to the work instead');
    }
  }

  async function observed<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      health.reachable = true;
      return result;
    } catch (error) {
      health.reachable = !isUnreachable(error);
      throw error;
    }
  }

  async function transactionOn<T>(from: pg.Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
    refuseInsideTransaction();
    for (let attempt = 1; ; attempt++) {
      try {
        const { tx, result } = await attemptTransaction(from, openTransaction, observed, work);
        broadcast.committed(tx);
        return result;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isWorthRetrying(error)) throw error;
        await sleep(FIRST_RETRY_MS * 2 ** attempt);
      }
    }
  }

  const database: Database = {
    kind,
    async query<Row extends object>(text: string, values?: readonly unknown[], options?: QueryOptions) {
      refuseInsideTransaction();
      return observed(() => run<Row>(pool, text, values, options));
    },
    transaction: (work) => transactionOn(pool, work),
    report: (work, options) =>
      transactionOn(reports?.[options.for] ?? pool, async (tx) => {
        const limits = limitsOf(options, reports !== undefined);
        if (limits !== '') await tx.query(limits);
        return work(tx);
      }),
    async session(work) {
      refuseInsideTransaction();
      const client = await observed(() => pool.connect());
      const bounded = (text: string, values?: readonly unknown[]) =>
        client.query({ text, values: [...(values ?? [])], query_timeout: MAX_SESSION_MS } as pg.QueryConfig);
      try {
        return await work({ query: async (text, values) => (await observed(() => bounded(text, values))).rows });
      } finally {
        // It may hold settings and locks of its own.
        client.release(true);
      }
    },
    async publish(tx, topic, id) {
      await broadcast.publish(tx, topic, id);
      if (tx === database) broadcast.committed(tx);
    },
    subscribe: (topic, onChange, lost) => broadcast.subscribe(topic, onChange, lost),
    healthy: () => health.reachable,
    async close() {
      await broadcast.close();
      await Promise.all([pool, ...Object.values(reports ?? {})].map((one) => one.end()));
      await afterPool?.();
    },
  };
  return database;
}

/**
 * The first statement of a report. Compiling a statement of the books takes longer than it saves: 14.9 s instead of 3.4 s for
 * the spend counters. One connection for everything has no limits of its own that could be lowered.
 */
function limitsOf({ timeoutMs, snapshot }: ReportOptions, hasOwnPool: boolean): string {
  const statements = [];
  if (snapshot) statements.push('set transaction isolation level repeatable read');
  if (hasOwnPool) statements.push('set local jit = off');
  if (hasOwnPool && timeoutMs !== undefined) statements.push(`set local statement_timeout = ${Math.ceil(timeoutMs)}`);
  return statements.join('; ');
}

type OpenTransaction = AsyncLocalStorage<{ open: boolean }>;

/**
 * Marks everything that runs inside a transaction's work, for as long as it is open. In tests only: on Node 20 one
 * asynchronous store makes every promise of the process more expensive, which a request would feel.
 */
function watchTransactions(): OpenTransaction | undefined {
  return process.env['NODE_ENV'] === 'test' ? new AsyncLocalStorage() : undefined;
}

async function attemptTransaction<T>(
  pool: pg.Pool,
  openTransaction: OpenTransaction | undefined,
  observed: <R>(work: () => Promise<R>) => Promise<R>,
  work: (tx: Queryable) => Promise<T>,
): Promise<{ tx: Queryable; result: T }> {
  const client = await observed(() => pool.connect());
  const tx: Queryable = {
    query: (text, values, options) => observed(() => run(client, text, values, options)),
  };
  const mark = { open: true };
  let broken: Error | undefined;
  // A connection may die between two statements. Unheard, that event would end the process.
  const died = (error: Error) => {
    broken = error;
  };
  client.on('error', died);
  try {
    await tx.query('begin');
    const result = openTransaction ? await openTransaction.run(mark, () => work(tx)) : await work(tx);
    await tx.query('commit');
    return { tx, result };
  } catch (error) {
    // A connection whose rollback fails is in an unknown state: it must not go back to the pool.
    await client.query('rollback').catch(died);
    throw error;
  } finally {
    mark.open = false;
    client.removeListener('error', died);
    client.release(broken);
  }
}

async function run<Row extends object>(
  target: pg.Pool | pg.PoolClient,
  text: string,
  values: readonly unknown[] | undefined,
  options: QueryOptions | undefined,
): Promise<Row[]> {
  const name = options?.name;
  const result: pg.QueryResult<Row> | pg.QueryResult<Row>[] = values
    ? await target.query<Row>({ text, values: values as unknown[], ...(name === undefined ? {} : { name }) })
    : await target.query<Row>(text);
  // Several statements in one text come back as an array of results.
  return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? [];
}
