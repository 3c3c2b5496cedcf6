/** Statements of lists that go by a time and an id. */
import { type Conditions, joined } from '../platform/db/conditions.ts';
import { type Columns, column, columnsOf, type RowOf, type Statement, statementFor } from '../platform/db/index.ts';

export interface Filtered {
  /** An index leads to these rows. */
  indexed: Conditions;
  /** Looked at row by row. */
  others: Conditions;
}

export function noFilter(): Filtered {
  return { indexed: { parts: [], values: [] }, others: { parts: [], values: [] } };
}

export interface ListedTable<Row> {
  /** The column that the list goes by. */
  time: string;
  page(where: string, order: string, limit: number): Statement<Row>;
  /** How many there are, up to one more than `max`. */
  count(where: string, max: number): Statement<{ n: number }>;
  /** Where a step of so many rows ends. */
  endOfStep(where: string, order: string, size: number): Statement<{ at: Date; id: string }>;
}

/**
 * A table that a list goes through, declared in the file of its rows. `filters` are samples that together have every condition of
 * the list, so that the test of all statements describes those too.
 */
export function listedTable<Declared extends Columns>(
  { table, time, row }: { table: string; time: string; row: Declared },
  ...filters: Filtered[]
): ListedTable<RowOf<Declared>> {
  const columns = columnsOf(row);
  const newest = `${time} desc, id desc`;
  const conditions = ['', ...filters.map(({ indexed, others }) => joined([indexed, others]).text)];
  return {
    time,
    page: statementFor(
      row,
      (where, order, limit) => `select ${columns} from ${table} ${where} order by ${order} limit ${Math.trunc(limit)}`,
      ...conditions.map((where): [string, string, number] => [where, newest, 100]),
    ),
    count: statementFor(
      { n: column.int },
      (where, max) =>
        `select count(*)::integer as n from (select from ${table} ${where} limit ${Math.trunc(max) + 1}) as counted`,
      ...conditions.map((where): [string, number] => [where, 100]),
    ),
    endOfStep: statementFor(
      { at: column.timestamp, id: column.text },
      (where, order, size) =>
        `select ${time} as at, id from ${table} ${where} order by ${order} offset ${Math.trunc(size) - 1} limit 1`,
      ...conditions.map((where): [string, string, number] => [where, newest, 100]),
    ),
  };
}

/** Rows behind this place of a list. */
export function behind(
  time: string,
  place: { time: Date | null; id: string | null },
  oldestFirst: boolean,
): Conditions {
  return { parts: [`(${time}, id) ${oldestFirst ? '>' : '<'} (§, §)`], values: [place.time, place.id] };
}

/** Rows up to the end of a step, the end included. */
export function upTo(time: string, end: { at: Date; id: string }, oldestFirst: boolean): Conditions {
  return { parts: [`(${time}, id) ${oldestFirst ? '<=' : '>='} (§, §)`], values: [end.at, end.id] };
}
