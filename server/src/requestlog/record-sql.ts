/** The statements' view of a record: its lines as rows of request_log, and rows as the texts of its columns. */
import { column, orNull, type RowColumn } from '../platform/db/index.ts';
import { SHARED_SEPARATOR } from './line-formats.ts';
import { type LineColumn, OWN_COLUMNS, SHARED_AT, SHARED_COLUMNS } from './record-text.ts';

/** Every column of request_log, in one order for all statements. */
const COLUMNS: readonly LineColumn[] = [...OWN_COLUMNS, ...SHARED_COLUMNS];
export const LOG_COLUMNS = COLUMNS.map(({ name }) => name).join(', ');

/** A charge keeps this itself: its row in the ledger is made in the same statement and stays for ever. */
const WITH_THE_CHARGE = 'price_version';
/** The columns of `batch` as they are stored, in the order of LOG_COLUMNS. */
export const LOG_VALUES = COLUMNS.map(({ name }) =>
  name === WITH_THE_CHARGE ? `case when cost > 0 then '' else ${name} end` : name,
).join(', ');
const OF_THE_CHARGE = `case when ${WITH_THE_CHARGE} = '' and cost > 0
  then coalesce((select charge.${WITH_THE_CHARGE} from ledger_transfer charge where charge.id = request_log.id), '')
  else ${WITH_THE_CHARGE} end`;

/** The key of the table; the other columns are replaced when a request that was announced as running ends. */
const KEY = ['id', 'created_at'];
export const REPLACED_COLUMNS = COLUMNS.map(({ name }) => name).filter((name) => !KEY.includes(name));

/** Element `at` of the array `part` as a column of the table. */
function columnAt({ name, kind }: LineColumn, at: number): string {
  const text = kind.nullable ? `nullif(part[${at}], '')` : `part[${at}]`;
  const value = kind.fromText ? kind.fromText(text) : kind.sql === 'text' ? text : `${text}::${kind.sql}`;
  return `${value} as ${name}`;
}

/**
 * The lines of $1 as `batch`. They are the journal's (ledger/journal-lines.ts), where one part comes before the record,
 * hence `+ 1`. The shared part is split once per distinct text, since most of a batch have the same; without `offset 0`
 * it would be split once for every column.
 */
export const LINES_AS_BATCH = `own as materialized (
  select ${OWN_COLUMNS.map((column) => columnAt(column, column.at + 1)).join(', ')}, part[${SHARED_AT + 1}] as shared
  from (select string_to_array(line, E'\\t') as part from string_to_table($1, E'\\n') as line offset 0) as split
), common as materialized (
  select shared, ${SHARED_COLUMNS.map((column) => columnAt(column, column.at)).join(', ')}
  from (select shared, string_to_array(shared, '${SHARED_SEPARATOR}') as part from own group by shared offset 0) as split
), batch as (
  select * from own join common using (shared)
)`;

/** For `select … from request_log`: the row as `recordOf` reads it. */
export const READ_COLUMNS = COLUMNS.map(({ name, kind }) => {
  if (name === WITH_THE_CHARGE) return `${OF_THE_CHARGE} as ${name}`;
  const text = kind.toText ? kind.toText(name) : kind.sql === 'text' ? name : `${name}::text`;
  return text === name ? name : `${text} as ${name}`;
}).join(', ');

/** What READ_COLUMNS answers: the texts of the columns, by the names of the columns. */
export const recordRow: Readonly<Record<string, RowColumn<string | null>>> = Object.fromEntries(
  COLUMNS.map(({ name, kind }) => [name, kind.nullable ? orNull(column.text) : column.text]),
);
