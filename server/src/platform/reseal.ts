/**
 * Seals everything anew with the current master key. Sealed texts are found by their form, in every column of text or JSON,
 * so that no table can be forgotten. In small batches: nobody waits for a lock.
 */
import type { Database } from './db/index.ts';
import type { SecretBox } from './secrets.ts';

export interface Resealed {
  resealed: number;
  /** Sealed under a key that nobody has any more: they stay as they are. */
  unreadable: number;
}

const SEALED = /v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]{38,}/g;
const SEALED_SQL = 'v1\\.[0-9a-f]{8}\\.[A-Za-z0-9_-]{38,}';
const BATCH = 200;

interface Column {
  table: string;
  column: string;
  type: string;
}

export async function resealAll(db: Database, secrets: SecretBox): Promise<Resealed> {
  const total: Resealed = { resealed: 0, unreadable: 0 };
  for (const column of await columnsOf(db)) {
    const found = await resealColumn(db, column, secrets);
    total.resealed += found.resealed;
    total.unreadable += found.unreadable;
  }
  return total;
}

/** The request log holds no secrets and may be very long. */
async function columnsOf(db: Database): Promise<Column[]> {
  return db.query<Column>(
    `select c.table_name as table, c.column_name as column, c.data_type as type
     from information_schema.columns c
     join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
     where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'jsonb')
       and c.table_name not like 'request_log%' and c.table_name <> 'schema_migration'
     order by 1, 2`,
  );
}

async function resealColumn(db: Database, { table, column, type }: Column, secrets: SecretBox): Promise<Resealed> {
  const total: Resealed = { resealed: 0, unreadable: 0 };
  const [name, field] = [quoted(table), quoted(column)];
  const unreadable: string[] = [];
  for (;;) {
    // Texts sealed with the current key are recognised by its label, which is removed here; what still looks sealed was sealed
    // with another key.
    const rows = await db.query<{ at: string; value: string }>(
      `select ctid::text as at, ${field}::text as value from ${name}
       where replace(${field}::text, $1, '') ~ $2 and ctid::text <> all($3::text[]) limit ${BATCH}`,
      [`${secrets.label}.`, SEALED_SQL, unreadable],
    );
    if (rows.length === 0) return total;
    for (const { at, value } of rows) {
      const before = total.unreadable;
      const next = anew(value, secrets, total);
      if (total.unreadable > before) unreadable.push(at);
      if (next === value) continue;
      // Where somebody changed it meanwhile, the newer value is looked at in the next round.
      await db.query(`update ${name} set ${field} = $1::${type} where ctid = $2::tid and ${field}::text = $3`, [
        next,
        at,
        value,
      ]);
    }
  }
}

function anew(value: string, secrets: SecretBox, total: Resealed): string {
  return value.replace(SEALED, (sealed) => {
    if (sealed.startsWith(`${secrets.label}.`)) return sealed;
    try {
      const next = secrets.seal(secrets.open(sealed));
      total.resealed++;
      return next;
    } catch {
      total.unreadable++;
      return sealed;
    }
  });
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
