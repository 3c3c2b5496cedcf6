/** Files for spreadsheets: UTF-8 with its mark, commas, raw numbers. Written in pieces, so that none is held whole. */
import type { Sink } from '../core/answer.ts';

export type CsvCell = string | number | bigint | null;

const CSV_MARK = '\uFEFF';
/** More rows than this are not in one file; the last line says so. */
const MAX_CSV_ROWS = 1_000_000;
const NEEDS_QUOTES = /[",\r\n]/;
/** A spreadsheet would take such a text for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d{1,60}(\.\d{1,20})?$/;

/** Numbers stay numbers, also negative ones; any other text that a spreadsheet would run gets an apostrophe. */
export function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

export interface CsvFile {
  name: string;
  head: readonly string[];
  /** Pieces of some hundred rows, read as they are asked for. */
  pieces: AsyncIterable<readonly (readonly CsvCell[])[]>;
}

/** Writes the file; one that breaks off is cut, so that nobody takes a part for the whole. */
export async function writeCsv(file: CsvFile, sink: Sink, onError: (error: unknown) => void): Promise<void> {
  let rows = 0;
  try {
    await sink.write(CSV_MARK + csvLine(file.head));
    for await (const piece of file.pieces) {
      if (sink.gone) return;
      const room = MAX_CSV_ROWS - rows;
      const text = piece.slice(0, room).map(csvLine).join('');
      if (text !== '') await sink.write(text);
      rows += piece.length;
      if (piece.length > room) {
        await sink.write(csvLine([`cut after ${MAX_CSV_ROWS} rows`]));
        break;
      }
    }
    sink.end();
  } catch (error) {
    onError(error);
    sink.cut();
  }
}

/** A file that is read is refused when it is larger. */
export interface CsvTable {
  head: string[];
  /** Each with the line it begins on. */
  rows: { line: number; cells: string[] }[];
}

/** Reads a small file: quotes, doubled quotes, both line ends. Undefined where a quote does not end. */
export function readCsvFile(text: string): CsvTable | undefined {
  const records: { line: number; cells: string[] }[] = [];
  let [cells, cell, quoted, line, began]: [string[], string, boolean, number, number] = [[], '', false, 1, 1];
  const endRecord = () => {
    cells.push(cell);
    if (cells.some((one) => one !== '')) records.push({ line: began, cells });
    [cells, cell] = [[], ''];
  };
  const body = text.startsWith(CSV_MARK) ? text.slice(1) : text;
  for (let at = 0; at < body.length; at++) {
    const letter = body.charAt(at);
    if (quoted) {
      if (letter === '"' && body.charAt(at + 1) === '"') {
        cell += '"';
        at++;
      } else if (letter === '"') quoted = false;
      else {
        if (letter === '\n') line++;
        cell += letter;
      }
    } else if (letter === '"' && cell === '') quoted = true;
    else if (letter === ',') {
      cells.push(cell);
      cell = '';
    } else if (letter === '\n') {
      endRecord();
      line++;
      began = line;
    } else if (letter !== '\r') cell += letter;
  }
  if (quoted) return undefined;
  endRecord();
  const [first, ...rows] = records;
  return { head: (first?.cells ?? []).map((name) => name.trim().toLowerCase()), rows };
}
