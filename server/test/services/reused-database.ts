/** Embedded databases that share threads: a database that is no longer used leaves its thread, made new, to the next one. */
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { compiledOnce } from '../../src/platform/db/begun-thread.ts';
import { copyFiles } from '../../src/platform/db/embedded-template.ts';
import { type EmbeddedThread, startEmbeddedThread } from '../../src/platform/db/embedded-thread.ts';
import { workerUrl } from '../../src/platform/worker-url.ts';

export interface ReusedOrder {
  /** Database files that every use begins with. */
  template: string;
  /** The thread's own folder. */
  home: string;
  engine: WebAssembly.Module;
}

export type ReusedRequest =
  | { kind: 'use' }
  | { kind: 'connect'; port: MessagePort }
  /** The database is used no more; its files are copied to `keepIn` where they are wanted. */
  | { kind: 'release'; keepIn: string | undefined };

export type ReusedReport = { kind: 'opened' | 'ready' | 'released' } | { kind: 'failed'; message: string };

interface Thread {
  worker: Worker;
  home: string;
}

/** Two are idle when a test that ran two gateways has ended. More would only keep memory. */
const MAX_IDLE = 2;

const idle = new Map<string, Thread[]>();
/** Data directories whose database is the template's, and is not written to the disk. */
const unopened = new Map<string, string>();
const wantedAfterwards = new Set<string>();

/** A data directory whose database will be a copy of the template, once it is opened. */
export async function directoryFor(template: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dargah-db-'));
  // A folder that is there is a database to the server.
  await mkdir(join(dataDir, 'database'));
  unopened.set(dataDir, template);
  return dataDir;
}

/** Has the database's files written to the data directory when it is closed. */
export function keepDatabaseFiles(dataDir: string): void {
  wantedAfterwards.add(dataDir);
}

/** Opens the database of a data directory: those of `directoryFor` in a thread that was used before. */
export async function startReusedThread(databaseDir: string): Promise<EmbeddedThread> {
  const dataDir = dirname(databaseDir);
  const template = unopened.get(dataDir);
  if (template === undefined) return startEmbeddedThread(databaseDir);
  unopened.delete(dataDir);
  const thread = idle.get(template)?.pop() ?? (await startThread(template));
  await ask(thread, { kind: 'use' });
  return lend(thread, template, dataDir);
}

function lend(thread: Thread, template: string, dataDir: string): EmbeddedThread {
  const { worker } = thread;
  const databaseDir = join(dataDir, 'database');
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  // A thread that fails leaves its files to the next one, as a server's does.
  const onExit = () => {
    rmSync(databaseDir, { recursive: true, force: true });
    if (existsSync(dataDir)) copyFiles(join(thread.home, 'database'), databaseDir);
    end();
  };
  worker.once('exit', onExit);
  return {
    connect() {
      const { port1, port2 } = new MessageChannel();
      worker.postMessage({ kind: 'connect', port: port2 } satisfies ReusedRequest, [port2]);
      return port1;
    },
    ended,
    async stop() {
      const keepIn = wantedAfterwards.delete(dataDir) ? databaseDir : undefined;
      await ask(thread, { kind: 'release', keepIn });
      worker.off('exit', onExit);
      end();
      const others = idle.get(template) ?? [];
      if (others.length >= MAX_IDLE) await endThread(thread);
      else idle.set(template, [...others, thread]);
    },
  };
}

async function startThread(template: string): Promise<Thread> {
  const home = await mkdtemp(join(tmpdir(), 'dargah-thread-'));
  const order: ReusedOrder = { template, home, engine: await compiledOnce() };
  const worker = new Worker(await workerUrl('../test/services/reused-database.worker.ts'), {
    workerData: order,
    resourceLimits: { maxYoungGenerationSizeMb: 6 },
  });
  await answered(worker);
  // An idle thread does not keep its process alive.
  worker.unref();
  return { worker, home };
}

async function endThread({ worker, home }: Thread): Promise<void> {
  await worker.terminate();
  rmSync(home, { recursive: true, force: true });
}

async function ask({ worker }: Thread, request: ReusedRequest): Promise<void> {
  const answer = answered(worker);
  worker.postMessage(request);
  await answer;
}

async function answered(worker: Worker): Promise<void> {
  worker.ref();
  const waiting = new AbortController();
  const { signal } = waiting;
  const [report] = (await Promise.race([
    once(worker, 'message', { signal }),
    once(worker, 'exit', { signal }).then(() => {
      throw new Error('the thread of a test database ended');
    }),
  ]).finally(() => waiting.abort())) as [ReusedReport];
  worker.unref();
  if (report.kind === 'failed') throw new Error(`the thread of a test database failed: ${report.message}`);
}
