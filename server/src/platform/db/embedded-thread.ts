/** Starts and stops the embedded database's thread. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { workerUrl } from '../worker-url.ts';
import { type BegunThread, beginThread, sendTo } from './begun-thread.ts';
import { unlockDatabaseAtHand } from './database-at-hand.ts';
import { DatabaseNotUsable, isDiskFull } from './failures.ts';

export interface EmbeddedThread {
  /** A new connection: what is sent are messages of PostgreSQL's protocol, whole ones. It replaces the one before. */
  connect(): MessagePort;
  /** Resolves when the thread ended, asked or not. */
  ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** The files lie in the folder, unless the thread brings its own. */
export type StartThread = (databaseDir: string) => Promise<EmbeddedThread>;

const NO_ROOM = 'the disk has no room for the embedded database; free some, or set DARGAH_DATA_DIR to another disk';

/** Runs in a process of its own, see create-embedded.worker.ts. */
export async function createDatabaseFiles(databaseDir: string): Promise<void> {
  const script = fileURLToPath(await workerUrl('platform/db/create-embedded.worker.ts'));
  const child = spawn(process.execPath, [script, databaseDir], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (text: Buffer) => {
    complaint = (complaint + text).slice(-2_000);
  });
  const [code, signal] = await once(child, 'close');
  if (code !== 0 && isDiskFull(complaint)) throw new DatabaseNotUsable(NO_ROOM);
  if (code !== 0)
    throw new Error(`the embedded database could not be created (${signal ?? code}): ${complaint.trim()}`);
}

/** Has a thread open the database: one that was begun before, or a new one. */
export async function startEmbeddedThread(
  databaseDir: string,
  begun: Promise<BegunThread> = beginThread(),
): Promise<EmbeddedThread> {
  const thread = await begun;
  const { worker, engine, ended, opens } = thread;
  worker.ref();
  const compiled = await engine;
  if (opens === undefined) sendTo(worker, { kind: 'open', databaseDir, engine: compiled });
  else if (opens !== databaseDir)
    throw new Error(`the embedded database of ${opens} was opened instead of ${databaseDir}`);
  await ready(thread);
  return {
    connect() {
      const { port1, port2 } = new MessageChannel();
      sendTo(worker, { kind: 'connect', port: port2 }, port2);
      return port1;
    },
    ended,
    async stop() {
      sendTo(worker, { kind: 'stop' });
      await ended;
    },
  };
}

/** The thread that has begun opens the database; when it ends, others follow. */
export function openingWith(begun: Promise<BegunThread>): StartThread {
  let first: Promise<BegunThread> | undefined = begun;
  return (databaseDir) => {
    const thread = first;
    first = undefined;
    return startEmbeddedThread(databaseDir, thread);
  };
}

/** For a start that goes no further: the database that was opened for it is closed, and its directory free. */
export async function giveUp(begun: Promise<BegunThread>): Promise<void> {
  const { worker, engine, reported, ended, opens } = await begun;
  if (opens === undefined) return;
  worker.ref();
  await engine;
  // It ends by itself where the database cannot be opened.
  await Promise.race([reported, ended]);
  sendTo(worker, { kind: 'stop' });
  await ended;
  await unlockDatabaseAtHand(opens);
}

async function ready({ reported, ended }: BegunThread): Promise<void> {
  const failure = await Promise.race([
    reported.then((report) =>
      report.kind === 'failed' ? new Error(`the embedded database failed: ${report.message}`) : undefined,
    ),
    ended.then((error) => error ?? new Error('the embedded database ended while starting')),
  ]);
  if (failure === undefined) return;
  throw isDiskFull(String(failure)) ? new DatabaseNotUsable(NO_ROOM) : failure;
}
