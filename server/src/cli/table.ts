/** Tables for a terminal. Widths are counted in cells, so that Persian names with their joiners stay aligned. */
import type { Json, JsonObject } from '../core/json.ts';

export type TableColumn = readonly [title: string, read: string | ((row: JsonObject) => Json | undefined)];

export function renderTable(rows: readonly JsonObject[], columns: readonly TableColumn[]): string {
  if (rows.length === 0) return '(none)';
  const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map((column) => cell(row, column)))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => width(line[index] ?? ''))));
  return cells
    .map((line) =>
      line
        .map((text, index) =>
          index === columns.length - 1 ? text : text + ' '.repeat((widths[index] ?? 0) - width(text)),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One thing with a line for each field; nested fields in dotted form. */
export function renderRecord(record: JsonObject): string {
  const lines = flatten(record, '');
  const widest = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(widest)}  ${value}`).join('\n');
}

function flatten(value: JsonObject, prefix: string): [string, string][] {
  return Object.entries(value).flatMap(([name, inner]): [string, string][] => {
    const path = `${prefix}${name}`;
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      return Object.keys(inner).length === 0 ? [] : flatten(inner, `${path}.`);
    }
    if (Array.isArray(inner) && inner.some((item) => typeof item === 'object' && item !== null)) {
      return inner.map((item, index): [string, string] => [`${path}.${index}`, JSON.stringify(item)]);
    }
    return inner === null || inner === undefined ? [] : [[path, shown(inner)]];
  });
}

function cell(row: JsonObject, [, read]: TableColumn): string {
  const value = typeof read === 'string' ? row[read] : read(row);
  return value === undefined || value === null ? '-' : shown(value);
}

/** Control characters in a name must not move the cursor, and right-to-left text must not reorder its neighbours. */
function shown(value: Json): string {
  const text = Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
  return /[\u0590-\u08ff]/.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** How many cells a terminal uses: none for marks, joiners and direction signs, two for wide characters. */
export function width(text: string): number {
  let cells = 0;
  for (const character of text) {
    if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) continue;
    cells +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return cells;
}
