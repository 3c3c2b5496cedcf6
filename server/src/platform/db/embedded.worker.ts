/**
 * The thread in which the embedded database lives, so that its work never blocks the event loop of requests.
 * It is reached through a socket, by the same driver as a PostgreSQL server.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import type { EmbeddedOrder, EmbeddedReport } from './embedded-thread.ts';

/** The default of 128 MB would be held for good, by a process whose data mostly fits in far less. */
const SHARED_BUFFERS = '16MB';
/** Whole pages in the log guard against a machine that stops in the middle of a write; without fsync nothing does anyway. */
const FULL_PAGE_WRITES = 'off';
/** A new file of the log would first be filled with zeros, which only makes its space certain: 16 MB more to write for each. */
const WAL_INIT_ZERO = 'off';
/** One in use; the others are room for a connection that replaces one just closing. */
const MAX_CONNECTIONS = 4;

function report(message: EmbeddedReport): void {
  parentPort?.postMessage(message);
}

async function serve(order: EmbeddedOrder): Promise<void> {
  const db = await PGlite.create({
    dataDir: order.databaseDir,
    extensions: { vector, pg_trgm },
    startParams: [
      ...PGlite.defaultStartParams,
      '-c',
      `shared_buffers=${SHARED_BUFFERS}`,
      '-c',
      `full_page_writes=${FULL_PAGE_WRITES}`,
      '-c',
      `wal_init_zero=${WAL_INIT_ZERO}`,
    ],
  });
  if (order.task === 'create') {
    await db.close();
    report({ kind: 'created' });
    return;
  }
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
