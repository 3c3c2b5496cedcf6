/** A record as the line that record-columns.ts draws, and back. A start record has the initial values of what is not known yet. */
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { ColumnKind, Neighbours } from './column-kinds.ts';
import { type DetailKind, parseDetail } from './detail-kinds.ts';
import {
  BEFORE_FORMAT,
  columnsOfLine,
  LINE_FORMAT,
  type LineLayout,
  RELEASED_LINES,
  SHARED_SEPARATOR,
} from './line-formats.ts';
import { DERIVED, RECORD, type RequestRecord, type WrittenRequest } from './record-columns.ts';

interface Part {
  readonly name: string;
  readonly kind: ColumnKind<unknown>;
  /** Field of the record, or how a derived column is worked out. */
  readonly from: string | ((record: Neighbours) => number);
  /** Text of the value that a request has until it ends; undefined for what is known from the start. */
  readonly initial: string | undefined;
}

interface DetailPart {
  readonly field: string;
  readonly name: string;
  readonly kind: DetailKind<unknown>;
  readonly was: DetailKind<unknown>;
  readonly initial: unknown;
}

const NOBODY: Neighbours = { createdAt: 0, accountId: '', keyId: '' };
const ENTRIES = Object.entries(RECORD);

function partsIn(place: 'own' | 'shared'): Part[] {
  return ENTRIES.flatMap(([field, entry]) => {
    if (entry.in !== place) return [];
    const kind = entry.kind as ColumnKind<unknown>;
    return [
      {
        name: entry.name,
        kind,
        from: field,
        initial: 'initial' in entry ? kind.write(entry.initial, NOBODY) : undefined,
      },
    ];
  });
}

const DERIVED_PARTS: Part[] = DERIVED.map(({ name, kind, from }) => ({
  name,
  kind: kind as ColumnKind<unknown>,
  from,
  initial: undefined,
}));

const OWN: readonly Part[] = [...partsIn('own'), ...DERIVED_PARTS];
/** The id and the time come first, then the format and the shared part. */
const FIRST = OWN.slice(0, BEFORE_FORMAT);
const REST = OWN.slice(BEFORE_FORMAT);
const SHARED: readonly Part[] = partsIn('shared');
const DETAILS: readonly DetailPart[] = ENTRIES.flatMap(([field, entry]) =>
  entry.in === 'detail'
    ? [
        {
          field,
          name: 'as' in entry ? entry.as : field,
          kind: entry.kind as DetailKind<unknown>,
          was: ('was' in entry ? entry.was : entry.kind) as DetailKind<unknown>,
          initial: 'initial' in entry ? entry.initial : null,
        },
      ]
    : [],
);

/** The columns of the table in the order of the line; `at` counts parts from one, as SQL does. */
export interface LineColumn {
  readonly name: string;
  readonly kind: Pick<ColumnKind<unknown>, 'sql' | 'nullable' | 'fromText' | 'toText'>;
  readonly at: number;
}

export const SHARED_AT = BEFORE_FORMAT + 2;
export const OWN_COLUMNS: readonly LineColumn[] = [
  ...FIRST.map((part, index) => ({ name: part.name, kind: part.kind, at: index + 1 })),
  ...REST.map((part, index) => ({ name: part.name, kind: part.kind, at: index + SHARED_AT + 1 })),
  { name: 'detail', kind: { sql: 'text' }, at: OWN.length + 3 },
];
export const SHARED_COLUMNS: readonly LineColumn[] = SHARED.map((part, index) => ({
  name: part.name,
  kind: part.kind,
  at: index + 1,
}));

/** The line of this build. */
export const OWN_LAYOUT: LineLayout = {
  format: LINE_FORMAT,
  own: OWN_COLUMNS.map(({ name }) => name),
  shared: SHARED_COLUMNS.map(({ name }) => name),
};
const READABLE: readonly LineLayout[] = [OWN_LAYOUT, ...Object.values(RELEASED_LINES)];

/**
 * The encoder is generated from the table once, when this module is loaded, with one expression per column. Every request is
 * encoded twice, and a loop over the columns would be slower (docs/performance.md).
 */
export const encodeRecord = writtenOut();

function writtenOut(): (record: WrittenRequest) => string {
  const used: ((...given: never[]) => unknown)[] = [];
  const call = (called: (...given: never[]) => unknown, given: string) =>
    `f[${used.push(called) - 1}](${given}, record)`;
  const column = ({ kind, from, initial }: Part): string => {
    if (typeof from === 'function') return call(kind.write, call(from, 'record'));
    const written = call(kind.write, `record.${from}`);
    return initial === undefined ? written : `(record.${from} === undefined ? ${JSON.stringify(initial)} : ${written})`;
  };
  const columns = (parts: readonly Part[], separator: string) => parts.map(column).join(` + ${separator} + `);
  const details = DETAILS.map(
    ({ field, name, kind }) => `if (record.${field} !== undefined) {
      json = ${call(kind.write, `record.${field}`)};
      if (json !== '') detail += (detail === '' ? '{"${name}":' : ',"${name}":') + json;
    }`,
  );
  const source = `return function encodeRecord(record) {
    let detail = '', json;
    ${details.join('\n')}
    if (detail !== '') detail += '}';
    return ${columns(FIRST, "'\\t'")} + '\\t${LINE_FORMAT}\\t' + ${columns(SHARED, "'\\f'")} + '\\t' + ${columns(REST, "'\\t'")} + '\\t' + detail;
  }`;
  return new Function('f', source)(used) as (record: WrittenRequest) => string;
}

/** Undefined when the text is no record. */
export function decodeRecord(text: string): RequestRecord | undefined {
  const row = columnsOfLine(text, READABLE);
  return row && recordOf(withAllColumns(row.columns));
}

/**
 * A request of the journal as a line of this build: as it is, or made anew from the line of a released version. Undefined for any
 * other line.
 */
export function ownText(text: string, readable = READABLE): string | undefined {
  const row = columnsOfLine(text, readable);
  if (!row || row.format === LINE_FORMAT) return row && text;
  const columns = withAllColumns(row.columns);
  const joined = (parts: readonly Part[], separator: string) =>
    parts.map(({ name }) => columns[name] ?? '').join(separator);
  const shared = joined(SHARED, SHARED_SEPARATOR);
  return [joined(FIRST, '\t'), LINE_FORMAT, shared, joined(REST, '\t'), columns['detail'] ?? ''].join('\t');
}

/** What a released version did not write yet has the value of a request that did nothing; what is derived is worked out now. */
function withAllColumns(columns: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const all: Record<string, string> = { ...columns };
  for (const { name, kind, initial } of [...FIRST, ...SHARED, ...REST])
    all[name] ??= initial ?? kind.write(kind.read('', NOBODY), NOBODY);
  const record = recordOf(all) as unknown as Neighbours;
  for (const { name, kind, from } of DERIVED_PARTS)
    if (!(name in columns) && typeof from === 'function') all[name] = kind.write(from(record), record);
  return all;
}

/** From the texts of its columns by name, as a line has them and as the database gives them (record-sql.ts). */
export function recordOf(row: Readonly<Record<string, string | null>>): RequestRecord {
  const record: Record<string, unknown> = {};
  const read = record as unknown as Neighbours;
  for (const { from, name, kind } of [...FIRST, ...SHARED, ...REST])
    if (typeof from === 'string') record[from] = kind.read(row[name] ?? '', read);
  const stored = parseDetail(row['detail'] ?? '');
  const given: JsonObject = stored !== undefined && isJsonObject(stored) ? stored : {};
  for (const { field, name, kind, was, initial } of DETAILS) {
    const value = given[name];
    const old = value === undefined ? given[field] : undefined;
    if (value !== undefined) record[field] = kind.read(value, read);
    else if (old !== undefined) record[field] = was.read(old, read);
    else if (kind.absent) record[field] = kind.absent(read, given);
    else record[field] = Array.isArray(initial) ? [] : initial;
  }
  return record as unknown as RequestRecord;
}

/** A request whose process died: nobody knows what was delivered, so it is shown as interrupted and costs nothing. */
export function killedRecord(startRecord: RequestRecord): RequestRecord {
  return { ...startRecord, state: 'interrupted', errorCode: 'killed', status: 500 };
}

/** Every text begins with its id. */
export function idOf(text: string): string {
  return text.slice(0, text.indexOf('\t'));
}

/** When the request came, in milliseconds since 1970: the second column in every build. */
export function createdAtOf(text: string): number | undefined {
  const column = text.split('\t', 2)[1] ?? '';
  return /^\d{1,15}$/.test(column) ? Number(column) : undefined;
}

/** The same text without its detail, for a database that refuses it. */
export function withoutDetail(text: string): string {
  return text.slice(0, text.lastIndexOf('\t') + 1);
}
