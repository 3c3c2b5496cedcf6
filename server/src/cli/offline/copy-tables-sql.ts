/** Statements that copy any table of ours, whatever its columns are. */
import { column, command, commandFor, orNull, statement, statementFor } from '../../platform/db/index.ts';

export const ALLOW_ANY_DURATION = command('set local statement_timeout = 0');

/** The first row, where there is one. */
export const ANY_ROW = statementFor({}, (table: string) => `select from ${quotedName(table)} limit 1`, ['account']);

export const TABLES_TO_COPY = statement(
  { name: column.of<string>('name') },
  `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
);

export const REFERENCES_OF_TABLES = statement(
  { from: column.of<string>('name'), to: column.of<string>('name') },
  `select distinct f.relname as from, t.relname as to from pg_constraint k
   join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
   where k.contype = 'f' and f.oid <> t.oid`,
);

export const PARTITIONS_TO_COPY = statement(
  { parent: column.of<string>('name'), name: column.of<string>('name'), bound: column.text },
  `select p.relname as parent, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
   from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
   where c.relispartition and c.relkind = 'r' order by 2`,
);

export const CREATE_COPIED_PARTITION = commandFor(
  (name: string, parent: string, bound: string) =>
    `create table if not exists ${quotedName(name)} partition of ${quotedName(parent)} ${bound}`,
  ['request_log_20261118', 'request_log', `for values from ('2026-11-18') to ('2026-11-19')`],
);

export const CLEAR_TABLE = commandFor((table: string) => `delete from ${quotedName(table)}`, ['account']);

export const COLUMNS_OF_TABLE = statement(
  { name: column.of<string>('name') },
  `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
     and attgenerated = '' order by attnum`,
);

/** Pages by offset instead of a cursor, which would need a transaction. */
export const PAGE_OF_TABLE = statementFor(
  { rows: orNull(column.text), count: column.text },
  (table: string, columns: readonly string[], limit: number, offset: number) =>
    `select jsonb_agg(to_jsonb(t))::text as rows, count(*)::text as count
     from (select ${listOf(columns)} from ${quotedName(table)} order by ctid, tableoid limit ${limit} offset ${offset}) t`,
  ['account', ['id', 'name'], 10, 0],
);

export const INSERT_PAGE = commandFor(
  (table: string, columns: readonly string[]) =>
    `insert into ${quotedName(table)} (${listOf(columns)}) overriding system value
     select ${listOf(columns)} from jsonb_populate_recordset(null::${quotedName(table)}, $1::jsonb)`,
  ['account', ['id', 'name']],
);

export const SEQUENCES_TO_COPY = statement(
  { name: column.of<string>('name'), value: orNull(column.text) },
  `select sequencename as name, last_value::text as value from pg_sequences where schemaname = current_schema()`,
);

export const SET_SEQUENCE = statement({ setval: column.bigint }, 'select setval($1::regclass, $2::bigint)');

function listOf(columns: readonly string[]): string {
  return columns.map(quotedName).join(', ');
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
