/**
 * The thread in which the embedded database lives, so that its work never blocks the event loop of requests.
 * It is reached by the same driver as a PostgreSQL server, in PostgreSQL's own protocol (embedded-connection.ts).
 */
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import type { EmbeddedReport, EmbeddedRequest } from './begun-thread.ts';
import { openEngine } from './embedded-engine.ts';

function report(message: EmbeddedReport): void {
  parentPort?.postMessage(message);
}

class ServedDatabase {
  readonly #db: PGlite;
  #current: MessagePort | undefined;
  /** One statement after the other, whoever asks: the engine has one session. */
  #working: Promise<void> = Promise.resolve();

  constructor(db: PGlite) {
    this.#db = db;
  }

  connect(port: MessagePort): void {
    this.#current?.close();
    this.#current = port;
    this.#next(() => forgetTransaction(this.#db));
    port.on('message', (message: Uint8Array) => this.#next(() => execute(this.#db, message, port)));
  }

  stop(): void {
    this.#next(async () => {
      await this.#db.close();
      process.exit(0);
    });
  }

  #next(work: () => Promise<void>): void {
    this.#working = this.#working.then(work).catch(endThread);
  }
}

let served: ServedDatabase | undefined;

async function open(databaseDir: string, engine: WebAssembly.Module): Promise<void> {
  served = new ServedDatabase(await openEngine(databaseDir, engine));
  report({ kind: 'ready' });
}

parentPort?.on('message', (request: EmbeddedRequest) => {
  if (request.kind === 'open') open(request.databaseDir, request.engine).catch(endThread);
  else if (request.kind === 'connect') served?.connect(request.port);
  else served?.stop();
});

async function execute(db: PGlite, message: Uint8Array, port: MessagePort): Promise<void> {
  await db.execProtocolRawStream(message, {
    onRawData: (view) => {
      // The engine uses its memory again as soon as this returns.
      const answer = view.slice();
      port.postMessage(answer, [answer.buffer]);
    },
  });
}

/** Ends a transaction that a lost connection may have left open. */
async function forgetTransaction(db: PGlite): Promise<void> {
  if (db.isInTransaction()) await db.exec('rollback');
}

/**
 * Called when the engine itself fails: SQL errors arrive as answers, so an exception means that every later statement would hang.
 */
function endThread(error: unknown): void {
  report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}
