/** Copies all rows of one database of ours into another with the same, empty tables. */
import type { Database, Queryable } from '../../platform/db/index.ts';
import {
  ALLOW_ANY_DURATION,
  ANY_ROW,
  CLEAR_TABLE,
  COLUMNS_OF_TABLE,
  CREATE_COPIED_PARTITION,
  INSERT_PAGE,
  PAGE_OF_TABLE,
  PARTITIONS_TO_COPY,
  quotedName,
  REFERENCES_OF_TABLES,
  SEQUENCES_TO_COPY,
  SET_SEQUENCE,
  TABLES_TO_COPY,
} from './copy-tables-sql.ts';

const BATCH = 500;
/** Tables that migrations fill, so they are not copied. */
const OWN = new Set(['schema_migration']);
/**
 * These stay empty until the end of the copy. With a seal clock, every copied row of a sealed day would be recorded as
 * late; with a closed month, its days could not be written at all.
 */
const LAST = ['ledger_clock', 'ledger_period'];
/** Triggers fill these tables while others are copied; their rows are then replaced by the original ones. */
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
    await ALLOW_ANY_DURATION.run(tx);
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
    const rows = await ANY_ROW(table).rows(to);
    if (rows.length > 0) throw new Error(`the target is not empty: its table ${table} has rows`);
  }
}

/** Referenced tables before those that refer to them; partitions go with their parent. */
async function tablesInOrder(db: Queryable): Promise<string[]> {
  const tables = await TABLES_TO_COPY.rows(db);
  const references = await REFERENCES_OF_TABLES.rows(db);
  const left = new Set(tables.map(({ name }) => name).filter((name) => !OWN.has(name)));
  const order: string[] = [];
  while (left.size > 0) {
    const ready = [...left].filter((name) => !references.some((one) => one.from === name && left.has(one.to)));
    // Tables that refer to each other cannot be ordered. None exist; a new one would fail here, and the error names it.
    if (ready.length === 0) throw new Error(`tables refer to each other in a circle: ${[...left].join(', ')}`);
    for (const name of ready) {
      order.push(name);
      left.delete(name);
    }
  }
  const last = [...FOLLOWED, ...LAST];
  return [...order.filter((name) => !last.includes(name)), ...last.filter((name) => order.includes(name))];
}

/** Partitions of days are made as they are needed; the target has only today's. */
async function copyPartitions(from: Database, to: Database): Promise<void> {
  const partitions = await PARTITIONS_TO_COPY.rows(from);
  for (const { parent, name, bound } of partitions) await CREATE_COPIED_PARTITION(name, parent, bound).run(to);
}

async function clear(tx: Queryable, table: string): Promise<void> {
  const filled = await ANY_ROW(table).rows(tx);
  if (filled.length > 0) await CLEAR_TABLE(table).run(tx);
}

async function copyTable(from: Database, to: Queryable, table: string): Promise<number> {
  const columns = (await COLUMNS_OF_TABLE.rows(from, [quotedName(table)])).map(({ name }) => name);
  let copied = 0;
  // Pages by offset are safe: nobody else writes to the embedded database.
  for (let offset = 0; ; offset += BATCH) {
    const page = await PAGE_OF_TABLE(table, columns, BATCH, offset).only(from);
    const count = Number(page.count);
    if (count === 0) return copied;
    await INSERT_PAGE(table, columns).run(to, [page.rows]);
    copied += count;
    if (count < BATCH) return copied;
  }
}

async function copySequences(from: Database, to: Queryable): Promise<void> {
  const sequences = await SEQUENCES_TO_COPY.rows(from);
  for (const { name, value } of sequences) if (value !== null) await SET_SEQUENCE.rows(to, [quotedName(name), value]);
}
