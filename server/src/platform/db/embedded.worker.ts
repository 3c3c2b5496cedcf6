/**
 * The thread in which the embedded database lives, so that its work never blocks the event loop of requests.
 * It is reached through a socket, by the same driver as a PostgreSQL server.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { openEngine } from './embedded-engine.ts';
import type { EmbeddedOrder, EmbeddedReport } from './embedded-thread.ts';

/** One in use; the others are room for a connection that replaces one just closing. */
const MAX_CONNECTIONS = 4;

function report(message: EmbeddedReport): void {
  parentPort?.postMessage(message);
}

async function serve(order: EmbeddedOrder): Promise<void> {
  const db = await openEngine(order.databaseDir);
  endThreadWhenItBreaks(db);
  const server = new PGLiteSocketServer({ db, ...order.address, maxConnections: MAX_CONNECTIONS });
  await server.start();
  parentPort?.once('message', () => {
    void server
      .stop()
      .then(() => db.close())
      .then(() => report({ kind: 'closed' }))
      .finally(() => process.exit(0));
  });
  report({ kind: 'listening', connection: server.getServerConn() });
}

/** SQL errors are answers; an exception here means the engine itself failed, and every later statement would hang. */
function endThreadWhenItBreaks(db: PGlite): void {
  const execute = db.execProtocolRawStream.bind(db);
  db.execProtocolRawStream = async (message, options) => {
    try {
      await execute(message, options);
    } catch (error) {
      report({ kind: 'failed', message: String(error) });
      process.exit(1);
    }
  };
}

serve(workerData as EmbeddedOrder).catch((error: unknown) => {
  report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
});
