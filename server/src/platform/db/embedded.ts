/**
 * The embedded database: PostgreSQL compiled to WebAssembly, with its files in the data directory, for a start without
 * any installation. It never calls fsync, so it survives a killed process but not a power cut.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import pg from 'pg';
import type { Log } from '../log.ts';
import { lockDataDirectory } from './data-lock.ts';
import type { Database, Queryable } from './database.ts';
import { DATABASE, ENGINE_MAJOR, engineOf, LOCK } from './database-at-hand.ts';
import { EmbeddedConnection } from './embedded-connection.ts';
import { keepThreadRunning } from './embedded-supervisor.ts';
import { copyTemplate, stampCopy } from './embedded-template.ts';
import { createDatabaseFiles, type StartThread, startEmbeddedThread } from './embedded-thread.ts';
import { DatabaseNotUsable } from './failures.ts';
import { type Broadcast, createPooledDatabase, type PoolHealth } from './pooled-database.ts';
import { SchemaRefused } from './schema-refusal.ts';
import { createSubscriptions } from './subscriptions.ts';
import { valueTypes } from './value-types.ts';

export const EMBEDDED_NOTICE =
  'Embedded database: it survives a killed process, not a power cut. For production set DATABASE_URL (PostgreSQL 15+).';

/** Statements wait in line for the only connection; a long one (an index build) must not fail those behind it. */
const QUEUE_TIMEOUT_MS = 60_000;

export interface EmbeddedOptions {
  dataDir: string;
  /** Refuses where there is none yet, and leaves the disk as it was. */
  mustExist?: boolean | undefined;
  log: Log;
  /** Called with a line for the person who waits. */
  progress?: (line: string) => void;
  startThread?: StartThread | undefined;
}

export async function openEmbedded(options: EmbeddedOptions): Promise<Database> {
  const { dataDir, mustExist, log, progress, startThread = startEmbeddedThread } = options;
  const folder = resolve(dataDir);
  if (mustExist && !existsSync(join(folder, DATABASE)))
    throw new DatabaseNotUsable(`there is no database in ${folder}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const onWait = (pid: number) =>
    progress?.(`The data directory is in use by process ${pid}; waiting up to 10 seconds for it to end …`);
  const unlock = await lockDataDirectory(join(folder, LOCK), { onWait });
  try {
    const databaseDir = join(folder, DATABASE);
    const isNew = !existsSync(databaseDir);
    const isCopy = isNew && (await createOnce(databaseDir, progress));
    if (!isNew) refuseOtherEngine(databaseDir);
    const health: PoolHealth = { reachable: true };
    const thread = await keepThreadRunning(() => startThread(databaseDir), log, health);
    const pool = openPool(thread.connect, log);
    const afterPool = async () => {
      await thread.stop();
      await unlock();
    };
    const broadcast = broadcastInProcess(log);
    const db = createPooledDatabase({ kind: 'embedded', pool, broadcast, health, afterPool });
    if (isCopy) await stampCopy(db);
    return db;
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** Checked here, because the engine would end without a useful message. */
function refuseOtherEngine(databaseDir: string): void {
  const major = engineOf(databaseDir) ?? ENGINE_MAJOR;
  if (major === ENGINE_MAJOR) return;
  throw new SchemaRefused(
    `The embedded database in ${databaseDir} has files of engine ${major}; this version brings engine ${ENGINE_MAJOR}, which cannot read them. Nothing was changed. Start the version that made it, or move it to PostgreSQL with that version (dargah move --to postgres://…) and start this one there.`,
  );
}

/**
 * Creates the files in a folder of another name first, because a set-up that was killed half-way must not be mistaken
 * for a database. Returns true when they are a copy of the template.
 */
async function createOnce(databaseDir: string, progress: EmbeddedOptions['progress']): Promise<boolean> {
  progress?.(`Creating the embedded database in ${databaseDir} (once; a few seconds) …`);
  const draft = `${databaseDir}.new`;
  const forget = () => rm(draft, { recursive: true, force: true });
  await forget();
  const isCopy = await copyTemplate(draft).catch(async () => {
    await forget();
    return false;
  });
  if (!isCopy) await createDatabaseFiles(draft);
  await rename(draft, databaseDir);
  return isCopy;
}

function openPool(reach: () => MessagePort | undefined, log: Log): pg.Pool {
  const pool = new pg.Pool({
    stream: () => new EmbeddedConnection(reach),
    user: 'postgres',
    database: 'postgres',
    max: 1,
    // The one connection is never closed when idle: a new one would cost a handshake and lose its prepared statements.
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: QUEUE_TIMEOUT_MS,
    types: valueTypes,
    // The engine has one session for all connections, so statements that an earlier connection prepared are still there.
    onConnect: async (client) => {
      await client.query('discard all');
    },
  });
  pool.on('error', (err) => log.warn({ err }, 'the connection to the embedded database was lost'));
  return pool;
}

/** All subscribers are in this process, so no network is needed; messages still wait for the commit. */
function broadcastInProcess(log: Log): Broadcast {
  const subscriptions = createSubscriptions(log);
  const pending = new WeakMap<Queryable, { topic: string; id: string }[]>();
  return {
    async publish(tx, topic, id) {
      const news = pending.get(tx);
      if (news) news.push({ topic, id });
      else pending.set(tx, [{ topic, id }]);
    },
    committed(tx) {
      const news = pending.get(tx) ?? [];
      pending.delete(tx);
      for (const { topic, id } of news) subscriptions.deliver(topic, id);
    },
    subscribe: subscriptions.add,
    close: async () => {},
  };
}
