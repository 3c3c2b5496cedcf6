/**
 * The embedded database's thread before the server's own code is read, which takes as long: it reads its code, gets the engine, and
 * opens the database that is there. `server/bin/start.mjs` begins it first; this file is bundled for it apart.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MessagePort, Worker } from 'node:worker_threads';
import { builtWorkerUrl, workerUrl } from '../worker-url.ts';
import { lockDatabaseAtHand } from './database-at-hand.ts';
import { ENGINE_CODE_NAME, hasEngineCode, readEngineCode, writeEngineCode } from './engine-code.ts';

/** Messages to the thread: first what it opens, then new connections, then the end. */
export type EmbeddedRequest =
  | { kind: 'open'; databaseDir: string; engine: WebAssembly.Module }
  | { kind: 'connect'; port: MessagePort }
  | { kind: 'stop' };

export type EmbeddedReport = { kind: 'ready' } | { kind: 'failed'; message: string };

export interface BegunThread {
  worker: Worker;
  /** The folder of the database that it opens already. */
  opens: string | undefined;
  /** How opening went. */
  reported: Promise<EmbeddedReport>;
  engine: Promise<WebAssembly.Module>;
  /** What it ended by, if by an error. It may end before anybody opens a database with it. */
  ended: Promise<unknown>;
}

const WORKER = 'platform/db/embedded.worker.ts';
/** Young generation of the thread. Its objects are messages that die at once; by default it would keep 48 MB for them. */
const YOUNG_MB = 3;

/** Beside the bundle; when run from source there is none. */
const CODE = import.meta.url.endsWith('.ts')
  ? undefined
  : fileURLToPath(new URL(`./engine-code/${ENGINE_CODE_NAME}`, import.meta.url));

declare const WebAssembly: { compile(code: Uint8Array): Promise<WebAssembly.Module> };

interface Engine {
  module: Promise<WebAssembly.Module>;
  /** The same, where its code was kept from an earlier start. */
  kept: WebAssembly.Module | undefined;
}

/**
 * Compiled once per process. A thread that compiled for itself would do so at each start, and again whatever the engine's
 * code had been optimised to: a process that opens many databases, as tests do, spent most of its time there.
 */
let engine: Engine | undefined;

/** Read at once: while a server reads its code there is no turn of the event loop, and compiling would begin after it. */
function readEngine(): Uint8Array {
  const packageEntry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  return readFileSync(join(dirname(packageEntry), 'pglite.wasm'));
}

function compileEngine(): Engine {
  const bytes = readEngine();
  const kept = CODE === undefined ? undefined : readEngineCode(CODE, bytes);
  return { module: kept ? Promise.resolve(kept) : WebAssembly.compile(bytes), kept };
}

function engineOnce(): Engine {
  engine ??= compileEngine();
  return engine;
}

export function compiledOnce(): Promise<WebAssembly.Module> {
  return engineOnce().module;
}

/** Whether a later start could be spared compiling the engine. */
export function lacksEngineCode(): boolean {
  return CODE !== undefined && hasEngineCode && engine !== undefined && engine.kept === undefined;
}

/** For a process of its own whose database was used and rests (bin/make-engine-code.mjs). */
export async function keepEngineCode(): Promise<void> {
  if (CODE !== undefined) writeEngineCode(CODE, await compiledOnce(), readEngine());
}

/** Has it open the database of the data directory at once, where nothing stands in the way. */
export function beginThreadOf(dataDir: string): Promise<BegunThread> {
  return beginThread(lockDatabaseAtHand(dataDir));
}

export async function beginThread(opens?: string): Promise<BegunThread> {
  // First the thread, which reads its own code meanwhile.
  const worker = new Worker(builtWorkerUrl(WORKER) ?? (await workerUrl(WORKER)), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const ended = endOf(worker);
  const reported = new Promise<EmbeddedReport>((resolve) => worker.once('message', resolve));
  // A process that opens no database ends without it. Last: whoever listens to a thread makes the process wait for it.
  worker.unref();
  const { module, kept } = engineOnce();
  const open = (compiled: WebAssembly.Module) => {
    if (opens !== undefined) sendTo(worker, { kind: 'open', databaseDir: opens, engine: compiled });
  };
  // At once where it can be: the server's code is read next, which leaves no turn for anything else.
  if (kept) open(kept);
  // A failure is told to whoever opens a database; nobody has to.
  else module.then(open, () => undefined);
  return { worker, engine: module, ended, reported, opens };
}

export function sendTo(worker: Worker, request: EmbeddedRequest, ...transferred: MessagePort[]): void {
  worker.postMessage(request, transferred);
}

function endOf(worker: Worker): Promise<unknown> {
  let failure: unknown;
  worker.once('error', (error) => {
    failure = error;
  });
  return new Promise((resolve) => worker.once('exit', () => resolve(failure)));
}
