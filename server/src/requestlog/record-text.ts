/** A record as the line that record-columns.ts draws, and back. An opening has the initial values of what is not known yet. */
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { ColumnKind, Neighbours } from './column-kinds.ts';
import { type DetailKind, parseDetail } from './detail-kinds.ts';
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
  readonly kind: DetailKind<unknown>;
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

/** The id and the time come first, then the shared part. */
const BEFORE_SHARED = 2;
const OWN: readonly Part[] = [...partsIn('own'), ...DERIVED_PARTS];
const FIRST = OWN.slice(0, BEFORE_SHARED);
const REST = OWN.slice(BEFORE_SHARED);
const SHARED: readonly Part[] = partsIn('shared');
const DETAILS: readonly DetailPart[] = ENTRIES.flatMap(([field, entry]) =>
  entry.in === 'detail'
    ? [{ field, kind: entry.kind as DetailKind<unknown>, initial: 'initial' in entry ? entry.initial : null }]
    : [],
);

/** The columns of the table in the order of the line; `at` counts parts from one, as SQL does. */
export interface LineColumn {
  readonly name: string;
  readonly kind: Pick<ColumnKind<unknown>, 'sql' | 'nullable' | 'fromText' | 'toText'>;
  readonly at: number;
}

export const OWN_COLUMNS: readonly LineColumn[] = [
  ...FIRST.map((part, index) => ({ name: part.name, kind: part.kind, at: index + 1 })),
  ...REST.map((part, index) => ({ name: part.name, kind: part.kind, at: index + BEFORE_SHARED + 2 })),
  { name: 'detail', kind: { sql: 'text' }, at: OWN.length + 2 },
];
export const SHARED_AT = BEFORE_SHARED + 1;
export const SHARED_COLUMNS: readonly LineColumn[] = SHARED.map((part, index) => ({
  name: part.name,
  kind: part.kind,
  at: index + 1,
}));
/** How many parts a line has: own columns, the shared part, and the detail. */
const PARTS = OWN.length + 2;

/** Between shared columns. */
export const SHARED_SEPARATOR = '\f';

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
    ({ field, kind }) => `if (record.${field} !== undefined) {
      json = ${call(kind.write, `record.${field}`)};
      if (json !== '') detail += (detail === '' ? '{"${field}":' : ',"${field}":') + json;
    }`,
  );
  const source = `return function encodeRecord(record) {
    let detail = '', json;
    ${details.join('\n')}
    if (detail !== '') detail += '}';
    return ${columns(FIRST, "'\\t'")} + '\\t' + ${columns(SHARED, "'\\f'")} + '\\t' + ${columns(REST, "'\\t'")} + '\\t' + detail;
  }`;
  return new Function('f', source)(used) as (record: WrittenRequest) => string;
}

/** Undefined when the text is no record. */
export function decodeRecord(text: string): RequestRecord | undefined {
  const parts = text.split('\t');
  const shared = sharedOf(parts);
  if (!shared) return undefined;
  const row: Record<string, string> = {};
  for (const { name, at } of OWN_COLUMNS) row[name] = parts[at - 1] as string;
  for (const { name, at } of SHARED_COLUMNS) row[name] = shared[at - 1] ?? '';
  return recordOf(row);
}

/**
 * Undefined when the line has not the columns of this build. Those of the shared part are counted too: with one column more or
 * less, every value behind it would be read as its neighbour's and posted so.
 */
function sharedOf(parts: readonly string[]): string[] | undefined {
  const shared = parts.length === PARTS ? parts[BEFORE_SHARED]?.split(SHARED_SEPARATOR) : undefined;
  return shared?.length === SHARED.length ? shared : undefined;
}

/** From the texts of its columns by name, as a line has them and as the database gives them (record-sql.ts). */
export function recordOf(row: Readonly<Record<string, string | null>>): RequestRecord {
  const record: Record<string, unknown> = {};
  const read = record as unknown as Neighbours;
  for (const { from, name, kind } of [...FIRST, ...SHARED, ...REST])
    if (typeof from === 'string') record[from] = kind.read(row[name] ?? '', read);
  const stored = parseDetail(row['detail'] ?? '');
  const given: JsonObject = stored !== undefined && isJsonObject(stored) ? stored : {};
  for (const { field, kind, initial } of DETAILS) {
    const value = given[field];
    record[field] = value === undefined ? (Array.isArray(initial) ? [] : initial) : kind.read(value, read);
  }
  return record as unknown as RequestRecord;
}

/** A request whose process died: nobody knows what was delivered, so it is shown as interrupted and costs nothing. */
export function killedRecord(opening: RequestRecord): RequestRecord {
  return { ...opening, state: 'interrupted', errorCode: 'killed', status: 500 };
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

/** False for the text of an earlier build. */
export function isRecordText(text: string): boolean {
  return sharedOf(text.split('\t')) !== undefined;
}
