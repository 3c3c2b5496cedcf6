/** Starts and stops the embedded database's thread. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { workerUrl } from '../worker-url.ts';
import { DatabaseNotUsable, isDiskFull } from './failures.ts';

export interface EmbeddedOrder {
  databaseDir: string;
  engine: WebAssembly.Module;
}

/** Messages to the thread: a new connection, or the end. */
export type EmbeddedRequest = { kind: 'connect'; port: MessagePort } | { kind: 'stop' };

export type EmbeddedReport = { kind: 'ready' } | { kind: 'failed'; message: string };

export interface EmbeddedThread {
  /** A new connection: what is sent are messages of PostgreSQL's protocol, whole ones. It replaces the one before. */
  connect(): MessagePort;
  /** Resolves when the thread ended, asked or not. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** The files lie in the folder, unless the thread brings its own. */
export type StartThread = (databaseDir: string) => Promise<EmbeddedThread>;

/** Young generation of the thread. Its objects are messages that die at once; by default it would keep 48 MB for them. */
const YOUNG_MB = 3;

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

/**
 * Compiled once per process. A thread that compiled for itself would do so at each start, and again whatever the engine's
 * code had been optimised to: a process that opens many databases, as tests do, spent most of its time there.
 */
declare const WebAssembly: { compile(code: Uint8Array): Promise<WebAssembly.Module> };
let compiledEngine: Promise<WebAssembly.Module> | undefined;

async function compileEngine(): Promise<WebAssembly.Module> {
  const packageEntry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  return WebAssembly.compile(await readFile(join(dirname(packageEntry), 'pglite.wasm')));
}

export function compiledOnce(): Promise<WebAssembly.Module> {
  compiledEngine ??= compileEngine();
  return compiledEngine;
}

export async function startEmbeddedThread(databaseDir: string): Promise<EmbeddedThread> {
  const order: EmbeddedOrder = { databaseDir, engine: await compiledOnce() };
  const worker = new Worker(await workerUrl('platform/db/embedded.worker.ts'), {
    workerData: order,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  await ready(worker);
  return {
    connect() {
      const { port1, port2 } = new MessageChannel();
      const request: EmbeddedRequest = { kind: 'connect', port: port2 };
      worker.postMessage(request, [port2]);
      return port1;
    },
    ended,
    async stop() {
      const request: EmbeddedRequest = { kind: 'stop' };
      worker.postMessage(request);
      await ended;
    },
  };
}

function ready(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('error', (error) => reject(isDiskFull(String(error)) ? new DatabaseNotUsable(NO_ROOM) : error));
    worker.once('exit', () => reject(new Error('the embedded database ended while starting')));
    worker.once('message', (report: EmbeddedReport) => {
      if (report.kind === 'ready') resolve();
      else if (isDiskFull(report.message)) reject(new DatabaseNotUsable(NO_ROOM));
      else reject(new Error(`the embedded database failed: ${report.message}`));
    });
  });
}
