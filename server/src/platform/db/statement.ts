/**
 * A statement together with the row it answers. The row is declared as a value: the type of the row is made from it, the columns of a
 * select can be written from it, and a test has the database describe every statement and compares names, types and nullability
 * (server/test/platform/db/statements.test.ts). So a row type cannot say anything that the migrated database does not.
 *
 * Statements are made once, when their module is loaded, in files named `*-sql.ts` or `*-rows.ts`. Services call what those export.
 */
import type { Json } from '../../core/json.ts';
import type { Queryable, QueryOptions } from './database.ts';

/** One column of a row: what it is in JavaScript, and the type by which PostgreSQL announces it. */
export interface RowColumn<Value> {
  readonly type: string;
  readonly nullable: boolean;
  /** The column may be null in its table, but the statement's condition rules that out. */
  readonly ruledOut?: boolean;
  /** What the select reads, when it is not the column of this name. */
  readonly expression?: string;
  /** Exists in types only. */
  readonly value?: Value;
}

export type Columns = Readonly<Record<string, RowColumn<unknown>>>;
export type RowOf<Declared extends Columns> = {
  -readonly [Name in keyof Declared]: Declared[Name] extends RowColumn<infer Value> ? Value : never;
};

const ofType = <Value>(type: string): RowColumn<Value> => ({ type, nullable: false });

/** The kinds of columns, by the names PostgreSQL gives them. */
export const column = {
  text: ofType<string>('text'),
  boolean: ofType<boolean>('boolean'),
  int: ofType<number>('integer'),
  smallint: ofType<number>('smallint'),
  /** Also `count(*)`. */
  bigint: ofType<bigint>('bigint'),
  float: ofType<number>('double precision'),
  /** Decimal text: a JavaScript number would lose digits. */
  numeric: ofType<string>('numeric'),
  timestamp: ofType<Date>('timestamp with time zone'),
  bytes: ofType<Buffer>('bytea'),
  json: ofType<Json>('jsonb'),
  texts: ofType<string[]>('text[]'),
  /** A text of which only these values are written. */
  textOf: <Value extends string>(): RowColumn<Value> => ofType<Value>('text'),
  /** A document whose form its writer guarantees. */
  jsonOf: <Value>(): RowColumn<Value> => ofType<Value>('jsonb'),
  /** A column of any other type, as `format_type` names it. */
  of: <Value>(type: string): RowColumn<Value> => ofType<Value>(type),
} as const;

export const orNull = <Value>(of: RowColumn<Value>): RowColumn<Value | null> => ({ ...of, nullable: true });
/** For a column that may be null in its table where the statement's condition rules that out. */
export const notNull = <Value>(of: RowColumn<Value>): RowColumn<Value> => ({ ...of, ruledOut: true });
/** Reads an expression instead of the column of the same name. */
export const readAs = <Value>(expression: string, of: RowColumn<Value>): RowColumn<Value> => ({ ...of, expression });

/** The list of a select: `closedAt` reads the column `closed_at`. */
export function columnsOf(columns: Columns, table?: string): string {
  const prefix = table === undefined ? '' : `${table}.`;
  return Object.entries(columns)
    .map(([name, { expression }]) => {
      const stored = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      if (expression === undefined && stored === name) return `${prefix}${name}`;
      return `${expression ?? `${prefix}${stored}`} as "${name}"`;
    })
    .join(', ');
}

export interface Statement<Row> {
  readonly text: string;
  rows(db: Queryable, values?: readonly unknown[]): Promise<Row[]>;
  /** The first row; undefined when there is none. */
  first(db: Queryable, values?: readonly unknown[]): Promise<Row | undefined>;
  /** The row of a statement that always answers one, such as a sum. */
  only(db: Queryable, values?: readonly unknown[]): Promise<Row>;
}

export interface SqlCommand {
  readonly text: string;
  run(db: Queryable, values?: readonly unknown[]): Promise<void>;
}

/** What the test of all statements walks through. */
export interface DeclaredStatement {
  text: string;
  columns: Columns;
}

const declared: DeclaredStatement[] = [];

/** Every statement of the modules that are loaded. */
export function declaredStatements(): readonly DeclaredStatement[] {
  return declared;
}

/** A name prepares the statement once per connection. For hot statements. */
export function statement<Declared extends Columns>(
  columns: Declared,
  sql: string,
  options?: QueryOptions,
): Statement<RowOf<Declared>> {
  declared.push({ text: sql, columns });
  return answering(sql, options);
}

/** A statement that answers no rows. */
export function command(sql: string, options?: QueryOptions): SqlCommand {
  declared.push({ text: sql, columns: {} });
  return running(sql, options);
}

const undescribed: string[] = [];

/** How statements without a sample are written; no test can describe them. */
export function undescribedStatements(): readonly string[] {
  return undescribed;
}

function declareSamples<Parts extends readonly unknown[]>(
  columns: Columns,
  write: (...parts: Parts) => string,
  samples: readonly Parts[],
): void {
  if (samples.length === 0) undescribed.push(String(write));
  for (const sample of samples) declared.push({ text: write(...sample), columns });
}

/** A statement whose text depends on the question. Each of `samples` is described by the test: give one for each branch. */
export function statementFor<Declared extends Columns, Parts extends readonly unknown[]>(
  columns: Declared,
  write: (...parts: Parts) => string,
  ...samples: Parts[]
): (...parts: Parts) => Statement<RowOf<Declared>> {
  declareSamples(columns, write, samples);
  return (...parts) => answering(write(...parts));
}

/** The same for a statement that answers no rows. */
export function commandFor<Parts extends readonly unknown[]>(
  write: (...parts: Parts) => string,
  ...samples: Parts[]
): (...parts: Parts) => SqlCommand {
  declareSamples({}, write, samples);
  return (...parts) => running(write(...parts));
}

/** Several statements in one text, which take no values. The database cannot describe them. */
export function script(sql: string): SqlCommand {
  return running(sql);
}

function answering<Row extends object>(sql: string, options?: QueryOptions): Statement<Row> {
  return {
    text: sql,
    rows: (db, values) => db.query<Row>(sql, values, options),
    async first(db, values) {
      const [row] = await db.query<Row>(sql, values, options);
      return row;
    },
    async only(db, values) {
      const [row] = await db.query<Row>(sql, values, options);
      if (row === undefined) throw new Error(`a statement that always answers a row answered none: ${sql}`);
      return row;
    },
  };
}

function running(sql: string, options?: QueryOptions): SqlCommand {
  return {
    text: sql,
    async run(db, values) {
      await db.query(sql, values, options);
    },
  };
}
