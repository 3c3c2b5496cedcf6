/** Starts and stops the embedded database's thread. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { workerUrl } from '../worker-url.ts';

export type SocketAddress = { path: string } | { host: string; port: number };

export type EmbeddedOrder =
  | { task: 'create'; databaseDir: string }
  | { task: 'serve'; databaseDir: string; address: SocketAddress };

export type EmbeddedReport =
  | { kind: 'created' }
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

/**
 * Creating takes a thread of its own: the memory of the one-time set-up (several hundred MB) goes back to the system
 * when that thread ends.
 */
export async function createDatabaseFiles(databaseDir: string): Promise<void> {
  const worker = await start({ task: 'create', databaseDir });
  const ended = once(worker, 'exit');
  await firstReport(worker, 'created');
  await ended;
}

export async function startEmbeddedThread(databaseDir: string, address: SocketAddress): Promise<EmbeddedThread> {
  const worker = await start({ task: 'serve', databaseDir, address });
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
  return new Worker(await workerUrl('platform/db/embedded.worker.ts'), { workerData: order });
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
