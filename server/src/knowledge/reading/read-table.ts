/** Tables: each row becomes a line that names its columns, so that a passage from the middle still says what its numbers mean. */
import { isJsonObject, type Json, JsonRefused, parseJson } from '../../core/json.ts';
import { type BlockList, Unreadable } from './blocks.ts';
import { unreadableReasons } from './reasons.ts';

export type Cell = string | number | boolean | Date | null | undefined;

/** `page` is the slide that shows the table. */
export function readRows(rows: readonly (readonly Cell[])[], into: BlockList, page?: number): void {
  const place = page === undefined ? {} : { page };
  const [head, ...body] = rows.filter((row) => row.some((cell) => textOf(cell) !== ''));
  if (!head) return;
  if (body.length === 0) {
    into.add({ kind: 'text', text: head.map(textOf).join(' | '), ...place });
    return;
  }
  const names = head.map(textOf);
  for (const row of body) into.add({ kind: 'text', text: rowText(names, row), ...place });
}

function rowText(names: readonly string[], row: readonly Cell[]): string {
  return row
    .map((cell, column) => ({ name: names[column] ?? '', value: textOf(cell) }))
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => (name === '' ? value : `${name}: ${value}`))
    .join(' | ');
}

function textOf(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  return cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell).trim();
}

export function readCsv(text: string, into: BlockList): void {
  readRows(parseCsv(text.replace(/^\ufeff/, '')), into);
}

/** Parses RFC 4180 with the delimiter that its first line uses. */
function parseCsv(text: string): string[][] {
  const delimiter = delimiterOf(text.slice(0, text.indexOf('\n') + 1) || text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const endCell = () => {
    row.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] as string;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') cell += text[at++];
      else quoted = false;
    } else if (letter === '"' && cell === '') quoted = true;
    else if (letter === delimiter) endCell();
    else if (letter === '\n') {
      endCell();
      rows.push(row);
      row = [];
    } else if (letter !== '\r') cell += letter;
  }
  endCell();
  rows.push(row);
  return rows;
}

function delimiterOf(line: string): string {
  const counts = [',', ';', '\t', '؛'].map((each) => ({ each, count: line.split(each).length }));
  return counts.reduce((most, next) => (next.count > most.count ? next : most)).each;
}

/** JSON as lines of `path: value`; one block per element of a list, since that is usually one thing. */
export function readJsonText(text: string, into: BlockList): void {
  let value: Json;
  try {
    value = parseJson(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const tooDeep = error instanceof JsonRefused && error.reason === 'depth';
    throw new Unreadable(tooDeep ? unreadableReasons.deepJson : unreadableReasons.invalidJson, error);
  }
  addValue(value, '', true, into);
}

function addValue(value: Json, path: string, isRoot: boolean, into: BlockList): void {
  if (Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null)) {
    for (const item of value) addValue(item, path, false, into);
    return;
  }
  if (isJsonObject(value) && isRoot && Object.values(value).some(isList)) {
    for (const [name, item] of Object.entries(value)) if (item !== undefined) addValue(item, name, false, into);
    return;
  }
  const lines = [...linesOf(value, path)];
  into.add({ kind: 'text', text: lines.join('\n') });
}

function isList(value: Json | undefined): boolean {
  return Array.isArray(value) || isJsonObject(value);
}

function* linesOf(value: Json, path: string): Generator<string> {
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== 'object' || item === null)) yield line(path, value.join(', '));
    else for (const item of value) yield* linesOf(item, path);
  } else if (isJsonObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      if (item !== undefined) yield* linesOf(item, path === '' ? name : `${path}.${name}`);
    }
  } else if (value !== null && value !== '') yield line(path, String(value));
}

function line(path: string, text: string): string {
  return path === '' ? text : `${path}: ${text}`;
}
