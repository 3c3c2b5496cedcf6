/**
 * The thread in which the embedded database lives, so that its work never blocks the event loop of requests.
 * It is reached by the same driver as a PostgreSQL server, in PostgreSQL's own protocol (embedded-connection.ts).
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { openEngine } from './embedded-engine.ts';
import type { EmbeddedOrder, EmbeddedReport, EmbeddedRequest } from './embedded-thread.ts';

function report(message: EmbeddedReport): void {
  parentPort?.postMessage(message);
}

async function serve({ databaseDir, engine }: EmbeddedOrder): Promise<void> {
  const db = await openEngine(databaseDir, engine);
  let current: MessagePort | undefined;
  // One statement after the other, whoever asks: the engine has one session.
  let working: Promise<void> = Promise.resolve();
  const next = (work: () => Promise<void>) => {
    working = working.then(work).catch(endThread);
  };
  parentPort?.on('message', (request: EmbeddedRequest) => {
    if (request.kind === 'stop') {
      next(async () => {
        await db.close();
        process.exit(0);
      });
      return;
    }
    current?.close();
    const { port } = request;
    current = port;
    next(() => forgetTransaction(db));
    port.on('message', (message: Uint8Array) => next(() => execute(db, message, port)));
  });
  report({ kind: 'ready' });
}

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
  report({ kind: 'failed', message: String(error) });
  process.exit(1);
}

serve(workerData as EmbeddedOrder).catch((error: unknown) => {
  report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
});
