/** Rows as CSV that a spreadsheet shows and does not run. */

export type CsvCell = string | number | boolean | null;

/** Spreadsheets take UTF-8 for what it is only after this. */
export const BYTE_ORDER_MARK = '\ufeff';

/** What a spreadsheet would take for a formula gets an apostrophe; a plain number stays one. */
function csvCell(value: CsvCell): string {
  const text = value === null ? '' : String(value);
  const isFormula = /^[=+\-@\t\r\n]/.test(text) && !/^-?\d{1,40}(\.\d{1,20})?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}
