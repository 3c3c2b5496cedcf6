/** Files for spreadsheets: UTF-8 with its mark, commas, raw numbers. Written in pieces, so that none is held whole. */
import type { Sink } from '../core/answer.ts';
import { BYTE_ORDER_MARK, type CsvCell, csvLine } from '../core/write-csv.ts';

/** More rows than this are not in one file; the last line says so. */
const MAX_CSV_ROWS = 1_000_000;

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
