/** Writes rows as CSV that a spreadsheet shows and never runs. */

export type CsvCell = string | number | bigint | boolean | null;

/** The byte order mark, without which spreadsheets do not read the file as UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^-?\d{1,60}(\.\d{1,20})?$/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A cell that a spreadsheet would take for a formula gets an apostrophe; a plain number stays a number. */
export function csvCell(value: CsvCell): string {
  const text = value === null ? '' : String(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}
