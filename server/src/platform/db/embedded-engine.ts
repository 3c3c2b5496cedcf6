/** The engine of the embedded database, with what both its creation and its service need. */
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';

const SETTINGS = [
  // The default of 128 MB would be held for good, by a process whose data mostly fits in far less.
  'shared_buffers=16MB',
  // Whole pages in the log guard against a machine that stops in the middle of a write; without fsync nothing does anyway.
  'full_page_writes=off',
  // A new file of the log would first be filled with zeros, which only makes its space certain: 16 MB more to write for each.
  'wal_init_zero=off',
];

export function openEngine(databaseDir: string): Promise<PGlite> {
  return PGlite.create({
    dataDir: databaseDir,
    extensions: { vector, pg_trgm },
    startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])],
  });
}
