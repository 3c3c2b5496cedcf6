/** Starts and stops the embedded database's thread. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { workerUrl } from '../worker-url.ts';
import { type BegunThread, beginThread } from './begun-thread.ts';
import { DatabaseNotUsable, isDiskFull } from './failures.ts';

/** Messages to the thread: first what it opens, then new connections, then the end. */
export type EmbeddedRequest =
  | { kind: 'open'; databaseDir: string; engine: WebAssembly.Module }
  | { kind: 'connect'; port: MessagePort }
  | { kind: 'stop' };

export type EmbeddedReport = { kind: 'ready' } | { kind: 'failed'; message: string };

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
  const { worker, engine, ended } = await begun;
  const send = (request: EmbeddedRequest, ...transferred: MessagePort[]) => worker.postMessage(request, transferred);
  worker.ref();
  send({ kind: 'open', databaseDir, engine: await engine });
  await ready(worker, ended);
  return {
    connect() {
      const { port1, port2 } = new MessageChannel();
      send({ kind: 'connect', port: port2 }, port2);
      return port1;
    },
    ended,
    async stop() {
      send({ kind: 'stop' });
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

async function ready(worker: Worker, ended: Promise<unknown>): Promise<void> {
  const reported = new Promise<EmbeddedReport>((resolve) => worker.once('message', resolve));
  const failure = await Promise.race([
    reported.then((report) =>
      report.kind === 'failed' ? new Error(`the embedded database failed: ${report.message}`) : undefined,
    ),
    ended.then((error) => error ?? new Error('the embedded database ended while starting')),
  ]);
  if (failure === undefined) return;
  throw isDiskFull(String(failure)) ? new DatabaseNotUsable(NO_ROOM) : failure;
}
