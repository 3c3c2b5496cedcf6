/** Rows as CSV that a spreadsheet shows and does not run. */

export type Cell = string | number | boolean | null;

/** Spreadsheets take UTF-8 for what it is only after this. */
export const BYTE_ORDER_MARK = '\ufeff';

/** What a spreadsheet would take for a formula gets an apostrophe; a plain number stays one. */
export function csvCell(value: Cell): string {
  const text = value === null ? '' : String(value);
  const isFormula = /^[=+\-@\t\r\n]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}
