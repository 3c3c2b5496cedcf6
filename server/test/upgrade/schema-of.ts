/** The tables of a database, for comparing: columns, constraints and indexes as PostgreSQL describes them. */
import type { Queryable } from '../../src/platform/db/index.ts';

export interface Column {
  table: string;
  name: string;
  type: string;
  required: boolean;
  given: string | null;
  generated: boolean;
}

export interface Schema {
  columns: Column[];
  constraints: { table: string; name: string; kind: string; text: string }[];
  indexes: { table: string; name: string; text: string }[];
}

/** Tables of days are made as days come; they are not part of it. */
const OURS = `c.relnamespace = current_schema()::regnamespace and not c.relispartition`;

export async function schemaOf(db: Queryable): Promise<Schema> {
  const columns = await db.query<Column>(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
       pg_get_expr(d.adbin, d.adrelid) as given, a.attidentity <> '' or a.attgenerated <> '' as generated
     from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
     where ${OURS} and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped order by 1, 2`,
  );
  const constraints = await db.query<Schema['constraints'][number]>(
    `select c.relname as table, k.conname as name, k.contype::text as kind, pg_get_constraintdef(k.oid) as text
     from pg_constraint k join pg_class c on c.oid = k.conrelid where ${OURS} order by 1, 2`,
  );
  const indexes = await db.query<Schema['indexes'][number]>(
    `select c.relname as table, i.relname as name, pg_get_indexdef(x.indexrelid) as text
     from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid where ${OURS} order by 1, 2`,
  );
  return { columns, constraints, indexes };
}
