/** Copies all rows of one database of ours into another that has the same tables and nothing in them. */
import type { Database, Queryable } from '../../platform/db/index.ts';

const BATCH = 500;
/** Tables that migrations fill, so they are not copied. */
const OWN = new Set(['schema_migration']);
/**
 * While the clock is empty, no row counts as one that came after its day was sealed: the copy would write all of them down as late.
 * While no month is closed, its days can be written.
 */
const LAST = ['ledger_clock', 'ledger_period'];
/** Triggers fill these from other tables while those are copied; what they wrote is replaced by the rows as they were. */
const FOLLOWED = ['account_figures', 'account_word', 'person_word'];

export async function copyTables(
  from: Database,
  to: Database,
  say: (line: string) => void,
): Promise<{ tables: number; rows: number }> {
  const tables = await tablesInOrder(from);
  await refuseFilled(to, tables);
  await copyPartitions(from, to);
  let rows = 0;
  // One transaction: a move that fails half-way leaves an empty database, not a half-filled one.
  await to.transaction(async (tx) => {
    await tx.query('set local statement_timeout = 0');
    // Rows that migrations wrote themselves are deleted here, because the copy brings them.
    for (const table of [...tables].reverse()) await clear(tx, table);
    for (const table of tables) {
      if (FOLLOWED.includes(table)) await clear(tx, table);
      const copied = await copyTable(from, tx, table);
      rows += copied;
      if (copied > 0) say(`  ${table}: ${copied}`);
    }
    await copySequences(from, tx);
  });
  return { tables: tables.length, rows };
}

async function refuseFilled(to: Database, tables: readonly string[]): Promise<void> {
  for (const table of ['account', 'api_key', 'ledger_transfer'].filter((name) => tables.includes(name))) {
    const rows = await to.query(`select 1 from ${quoted(table)} limit 1`);
    if (rows.length > 0) throw new Error(`the target is not empty: its table ${table} has rows`);
  }
}

/** Referenced tables before those that refer to them; partitions go with their parent. */
async function tablesInOrder(db: Queryable): Promise<string[]> {
  const tables = await db.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const references = await db.query<{ from: string; to: string }>(
    `select distinct f.relname as from, t.relname as to from pg_constraint k
     join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
     where k.contype = 'f' and f.oid <> t.oid`,
  );
  const left = new Set(tables.map(({ name }) => name).filter((name) => !OWN.has(name)));
  const order: string[] = [];
  while (left.size > 0) {
    const ready = [...left].filter((name) => !references.some((one) => one.from === name && left.has(one.to)));
    // Tables that refer to each other cannot be ordered; there are none, and one that is made would fail here by name.
    if (ready.length === 0) throw new Error(`tables refer to each other in a circle: ${[...left].join(', ')}`);
    for (const name of ready) {
      order.push(name);
      left.delete(name);
    }
  }
  const last = [...FOLLOWED, ...LAST];
  return [...order.filter((name) => !last.includes(name)), ...last.filter((name) => order.includes(name))];
}

/** Tables of days are made as they are needed; the target has only today's. */
async function copyPartitions(from: Database, to: Database): Promise<void> {
  const partitions = await from.query<{ parent: string; name: string; bound: string }>(
    `select p.relname as parent, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
     from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
     where c.relispartition and c.relkind = 'r' order by 2`,
  );
  for (const { parent, name, bound } of partitions)
    await to.query(`create table if not exists ${quoted(name)} partition of ${quoted(parent)} ${bound}`);
}

async function clear(tx: Queryable, table: string): Promise<void> {
  const filled = await tx.query(`select 1 from ${quoted(table)} limit 1`);
  if (filled.length > 0) await tx.query(`delete from ${quoted(table)}`);
}

async function copyTable(from: Database, to: Queryable, table: string): Promise<number> {
  const name = quoted(table);
  const columns = await from.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
       and attgenerated = '' order by attnum`,
    [name],
  );
  const list = columns.map((column) => quoted(column.name)).join(', ');
  let copied = 0;
  // Pages by offset instead of a cursor, which would need a transaction. That is safe: nobody else writes to the embedded
  // database.
  for (let offset = 0; ; offset += BATCH) {
    const [page] = await from.query<{ rows: string | null; count: string }>(
      `select jsonb_agg(to_jsonb(t))::text as rows, count(*)::text as count
       from (select ${list} from ${name} order by ctid, tableoid limit ${BATCH} offset ${offset}) t`,
    );
    const count = Number(page?.count ?? 0);
    if (count === 0) return copied;
    await to.query(
      `insert into ${name} (${list}) overriding system value
       select ${list} from jsonb_populate_recordset(null::${name}, $1::jsonb)`,
      [page?.rows],
    );
    copied += count;
    if (count < BATCH) return copied;
  }
}

async function copySequences(from: Database, to: Queryable): Promise<void> {
  const sequences = await from.query<{ name: string; value: string | null }>(
    `select sequencename as name, last_value::text as value from pg_sequences where schemaname = current_schema()`,
  );
  for (const { name, value } of sequences)
    if (value !== null) await to.query('select setval($1::regclass, $2::bigint)', [quoted(name), value]);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
