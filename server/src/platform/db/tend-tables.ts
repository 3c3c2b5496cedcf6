/**
 * A PostgreSQL server vacuums and analyses its tables by itself; the embedded database does not. Without this, dead
 * rows pile up, and statements are planned as if every table were empty.
 */
import type { Database } from './database.ts';

interface Table {
  name: string;
  dead: boolean;
}

/** The thresholds of PostgreSQL's own autovacuum. Returns the tables that needed it. */
export async function tendTables(db: Database): Promise<string[]> {
  if (db.kind !== 'embedded') return [];
  // Statistics of the last second are not visible without the flush. The sample is 300 rows times the target: by default 30,000,
  // which kept the only connection for half a second and every request's charge behind it.
  await db.query(`select pg_stat_force_next_flush(), set_config('default_statistics_target', '10', false)`);
  const tables = await db.query<Table>(
    `select format('%I.%I', schemaname, relname) as name, n_dead_tup > 50 + 0.2 * n_live_tup as dead
       from pg_stat_user_tables
      where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup`,
  );
  // One statement per table, so that others get the only connection in between.
  for (const { name, dead } of tables) await db.query(dead ? `vacuum (analyze) ${name}` : `analyze ${name}`);
  return tables.map(({ name }) => name);
}
