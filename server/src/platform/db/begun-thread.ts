/**
 * The embedded database's thread before it has files to open: it reads its own code while the engine is compiled beside it. Both
 * take as long as reading the server's code, so `server/bin/start.mjs` begins them first; this file is bundled for it apart.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { builtWorkerUrl, workerUrl } from '../worker-url.ts';
import { ENGINE_CODE_NAME, hasEngineCode, readEngineCode, writeEngineCode } from './engine-code.ts';

export interface BegunThread {
  worker: Worker;
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
  /** Whether its code was kept from an earlier start. */
  kept: boolean;
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
  return kept ? { module: Promise.resolve(kept), kept: true } : { module: WebAssembly.compile(bytes), kept: false };
}

export function compiledOnce(): Promise<WebAssembly.Module> {
  engine ??= compileEngine();
  return engine.module;
}

/** Whether a later start could be spared compiling the engine. */
export function lacksEngineCode(): boolean {
  return CODE !== undefined && hasEngineCode && engine?.kept === false;
}

/** For a process of its own whose database was used and rests (bin/make-engine-code.mjs). */
export async function keepEngineCode(): Promise<void> {
  if (CODE !== undefined) writeEngineCode(CODE, await compiledOnce(), readEngine());
}

export async function beginThread(): Promise<BegunThread> {
  // First the thread, which reads its own code meanwhile.
  const worker = new Worker(builtWorkerUrl(WORKER) ?? (await workerUrl(WORKER)), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  // A process that opens no database ends without it.
  worker.unref();
  const ended = endOf(worker);
  const engine = compiledOnce();
  // Told to whoever opens a database; nobody has to.
  engine.catch(() => undefined);
  return { worker, engine, ended };
}

function endOf(worker: Worker): Promise<unknown> {
  let failure: unknown;
  worker.once('error', (error) => {
    failure = error;
  });
  return new Promise((resolve) => worker.once('exit', () => resolve(failure)));
}
