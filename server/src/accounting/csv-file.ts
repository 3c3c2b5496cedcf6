/**
 * Files for spreadsheets: UTF-8 with a byte order mark, commas, raw numbers. They are written in pieces, so that no
 * file is held in memory as a whole.
 */
import type { Sink } from '../core/answer.ts';
import { BYTE_ORDER_MARK, type CsvCell, csvLine } from '../core/write-csv.ts';

/** More rows than this are not in one file; the last line says so. */
const MAX_CSV_ROWS = 1_000_000;

export interface CsvFile {
  name: string;
  head: readonly string[];
  /** Pieces of some hundred rows, each read only when it is needed. */
  pieces: AsyncIterable<readonly (readonly CsvCell[])[]>;
}

/** Writes the file. When reading fails the connection is cut, so that nobody mistakes a part for the whole. */
export async function writeCsv(file: CsvFile, sink: Sink, onError: (error: unknown) => void): Promise<void> {
  let rows = 0;
  try {
    await sink.write(BYTE_ORDER_MARK + csvLine(file.head));
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
