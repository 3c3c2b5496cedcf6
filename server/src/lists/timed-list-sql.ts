/** Statements of lists that are ordered by a time and an id. */
import { column, type Statement, statementFor } from '../platform/db/index.ts';

/** Counts the rows, up to one more than `max`. */
export const COUNT_LISTED = statementFor(
  { n: column.int },
  (table: string, where: string, max: number) =>
    `select count(*)::integer as n from (select from ${table} ${where} limit ${Math.trunc(max) + 1}) as counted`,
  ['admin_event', '', 100],
);

/** The row at which a step of so many rows ends. */
export const END_OF_STEP = statementFor(
  { at: column.timestamp, id: column.text },
  (table: string, time: string, where: string, order: string, size: number) =>
    `select ${time} as at, id from ${table} ${where} order by ${order} offset ${Math.trunc(size) - 1} limit 1`,
  ['admin_event', 'at', '', 'at desc, id desc', 100],
);

const LISTED = statementFor(
  {},
  (columns: string, table: string, where: string, order: string, limit: number) =>
    `select ${columns} from ${table} ${where} order by ${order} limit ${Math.trunc(limit)}`,
);

/** Rows of a list. Each list names its own columns. */
export function listed<Row extends object>(...parts: Parameters<typeof LISTED>): Statement<Row> {
  return LISTED(...parts) as Statement<Row>;
}
