/** The engine of the embedded database, with what both its creation and its service need. */
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';

const SETTINGS = [
  // The default of 128 MB would never be given back, and most installations need far less.
  'shared_buffers=16MB',
  // Full pages in the write-ahead log protect against a machine that stops in the middle of a write; without fsync that
  // protection does not exist anyway.
  'full_page_writes=off',
  // Filling a new log file with zeros only reserves its space, and would write 16 MB more for each.
  'wal_init_zero=off',
];

/** `engine` is the engine's compiled code; without it the engine compiles its own. */
export function openEngine(databaseDir: string, engine?: WebAssembly.Module): Promise<PGlite> {
  return PGlite.create({
    dataDir: databaseDir,
    ...(engine ? { pgliteWasmModule: engine } : {}),
    extensions: { vector, pg_trgm },
    startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])],
  });
}
