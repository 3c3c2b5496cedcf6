/**
 * The kinds of columns a request's record has: how a value is written into the line, read from it, and stored. An empty text
 * is a null of the table. `record` is what a value may depend on.
 */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import { type Money, money } from '../core/money.ts';
import type { Usage } from '../core/usage.ts';
import { countersOf, countersText } from './counters-text.ts';
import type { AttemptRecord } from './record.ts';

/** The fields of the record that a column's text may depend on. */
export interface Neighbours {
  readonly createdAt: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly usage?: Usage | null;
  readonly counters?: readonly string[];
  readonly attempts?: readonly AttemptRecord[];
  readonly plan?: readonly string[];
}

/** As what a receipt gives a value. A kind without it is told in words of its own (receipt.ts). */
export type ShownAs = 'text' | 'texts' | 'flag' | 'whole' | 'toman';

export interface ColumnKind<T> {
  /** Its type in the table. */
  readonly sql: string;
  readonly nullable?: true;
  readonly shownAs?: ShownAs;
  write(value: T, record: Neighbours): string;
  read(text: string, record: Neighbours): T;
  /** `part` is SQL for the column's text; default: cast to `sql`. */
  readonly fromText?: (part: string) => string;
  /** SQL that gives the stored value as the text of the line; default: cast to text. */
  readonly toText?: (column: string) => string;
}

const ENDS_A_COLUMN = /[\0\t\n\r\f]/;

/**
 * The model of a refused request is whatever its client wrote. What would end a column or a line, or what PostgreSQL refuses
 * (NUL), becomes U+FFFD: one such request would make a whole batch unpostable.
 */
function harmless(text: string): string {
  return ENDS_A_COLUMN.test(text) ? text.replace(/[\0\t\n\r\f]/g, '\ufffd') : text;
}

export const TEXT: ColumnKind<string> = { sql: 'text', shownAs: 'text', write: harmless, read: (text) => text };

/** A text of our own making, which can hold nothing that ends a column. */
export function word<T extends string>(): ColumnKind<T> {
  return { sql: 'text', shownAs: 'text', write: (value) => value, read: (text) => text as T };
}

export const OPTIONAL_TEXT: ColumnKind<string | null> = {
  sql: 'text',
  nullable: true,
  shownAs: 'text',
  write: (value) => (value === null ? '' : harmless(value)),
  read: (text) => (text === '' ? null : text),
};

export const FLAG: ColumnKind<boolean> = {
  sql: 'boolean',
  shownAs: 'flag',
  write: (value) => (value ? 't' : 'f'),
  read: (text) => text === 't',
  toText: (column) => `case when ${column} then 't' else 'f' end`,
};

const whole = (sql: string): ColumnKind<number> => ({
  sql,
  shownAs: 'whole',
  write: (value) => `${Math.round(value)}`,
  read: Number,
});
export const INTEGER = whole('integer');
export const BIG_INTEGER = whole('bigint');

export const AMOUNT: ColumnKind<Money> = {
  sql: 'numeric',
  shownAs: 'toman',
  write: (value) => `${value}`,
  read: (text) => money(BigInt(text)),
};

export const OPTIONAL_AMOUNT: ColumnKind<Money | null> = {
  sql: 'numeric',
  nullable: true,
  shownAs: 'toman',
  write: (value) => (value === null ? '' : `${value}`),
  read: (text) => (text === '' ? null : money(BigInt(text))),
};

/** Milliseconds since 1970. */
export const INSTANT: ColumnKind<number> = {
  sql: 'timestamp with time zone',
  write: (value) => `${value}`,
  read: Number,
  fromText: (part) => `to_timestamp(${part}::float8 / 1000)`,
  toText: (column) => `round(extract(epoch from ${column}) * 1000)::bigint::text`,
};

/** `2026-11-15` in the account's own calendar: as given, else the day of the account's daily counter, else the UTC day. */
export const DAY: ColumnKind<string | undefined> = {
  sql: 'date',
  write: (value, { counters, keyId, accountId, createdAt }) =>
    value ?? (counters && countersText(counters, keyId, accountId).day) ?? utcDay(createdAt),
  read: (text) => text,
};

/** Names of spend counters in the short form of counters-text.ts. */
export const COUNTERS: ColumnKind<string[]> = {
  sql: 'text',
  shownAs: 'texts',
  write: (value, { keyId, accountId }) => harmless(countersText(value, keyId, accountId).text),
  read: (text, { keyId, accountId }) => countersOf(text, keyId, accountId),
};

let lastDay = { number: Number.NaN, text: '' };

function utcDay(atMs: number): string {
  const number = Math.floor(atMs / DAY_MS);
  // Formatting a date is slow, and the day changes only once a day.
  if (number !== lastDay.number) lastDay = { number, text: new Date(number * DAY_MS).toISOString().slice(0, 10) };
  return lastDay.text;
}
