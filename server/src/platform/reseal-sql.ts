/** Statements that find sealed texts in any column, and replace them. */
import { column, commandFor, type RowOf, statement, statementFor } from './db/index.ts';

const SEALED_COLUMN_BATCH = 200;

const sealedColumnRow = {
  table: column.of<string>('name'),
  column: column.of<string>('name'),
  type: column.of<string>('character varying'),
};
export type SealedColumn = RowOf<typeof sealedColumnRow>;

/** The request log holds no secrets and may be very long. */
export const COLUMNS_THAT_MAY_BE_SEALED = statement(
  sealedColumnRow,
  `select c.table_name as table, c.column_name as column, c.data_type as type
   from information_schema.columns c
   join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
   where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'jsonb')
     and c.table_name not like 'request_log%' and c.table_name <> 'schema_migration'
   order by 1, 2`,
);

/** What still looks like a sealed text ($2) when the label of the current key ($1) is removed was sealed with another key. */
export const SEALED_WITH_OTHER_KEY = statementFor(
  { at: column.text, value: column.text },
  ({ table, column: name }: SealedColumn) =>
    `select ctid::text as at, ${quoted(name)}::text as value from ${quoted(table)}
     where replace(${quoted(name)}::text, $1, '') ~ $2 and ctid::text <> all($3::text[]) limit ${SEALED_COLUMN_BATCH}`,
  [{ table: 'setting', column: 'value', type: 'jsonb' }],
  [{ table: 'alert_target', column: 'sealed', type: 'text' }],
);

/** Writes nothing when somebody changed the value meanwhile. */
export const REPLACE_SEALED = commandFor(
  ({ table, column: name, type }: SealedColumn) =>
    `update ${quoted(table)} set ${quoted(name)} = $1::${type} where ctid = $2::tid and ${quoted(name)}::text = $3`,
  [{ table: 'setting', column: 'value', type: 'jsonb' }],
  [{ table: 'alert_target', column: 'sealed', type: 'text' }],
);

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
