/** Starts and stops the embedded database's thread. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { workerUrl } from '../worker-url.ts';

export type SocketAddress = { path: string } | { host: string; port: number };

export interface EmbeddedOrder {
  databaseDir: string;
  address: SocketAddress;
}

export type EmbeddedReport =
  | { kind: 'listening'; connection: string }
  | { kind: 'closed' }
  | { kind: 'failed'; message: string };

export interface EmbeddedThread {
  /** Where it listens: a path, or host:port. */
  connection: string;
  /** Resolves when the thread ended, asked or not. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** Its own objects are messages that die at once; left alone, it would keep 48 MB for them. */
const YOUNG_MB = 6;

/** In a process of its own, see create-embedded.worker.ts. */
export async function createDatabaseFiles(databaseDir: string): Promise<void> {
  const script = fileURLToPath(await workerUrl('platform/db/create-embedded.worker.ts'));
  const child = spawn(process.execPath, [script, databaseDir], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (text: Buffer) => {
    complaint = (complaint + text).slice(-2_000);
  });
  const [code, signal] = await once(child, 'close');
  if (code !== 0)
    throw new Error(`the embedded database could not be created (${signal ?? code}): ${complaint.trim()}`);
}

export async function startEmbeddedThread(databaseDir: string, address: SocketAddress): Promise<EmbeddedThread> {
  const worker = await start({ databaseDir, address });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const { connection } = await firstReport(worker, 'listening');
  return {
    connection,
    ended,
    async stop() {
      worker.postMessage('stop');
      await ended;
    },
  };
}

async function start(order: EmbeddedOrder): Promise<Worker> {
  return new Worker(await workerUrl('platform/db/embedded.worker.ts'), {
    workerData: order,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
}

function firstReport<K extends EmbeddedReport['kind']>(
  worker: Worker,
  expected: K,
): Promise<Extract<EmbeddedReport, { kind: K }>> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the embedded database ended while starting')));
    worker.once('message', (message: EmbeddedReport) => {
      if (message.kind === expected) resolve(message as Extract<EmbeddedReport, { kind: K }>);
      else reject(new Error(`the embedded database failed: ${'message' in message ? message.message : message.kind}`));
    });
  });
}
