/**
 * Reads a table that another program wrote: comma, semicolon or tab between cells, quotes around cells that contain one
 * of them. One pass over the text, bounded by the caller's limits. Cells are text: formulas are never evaluated.
 */

export interface CsvRow {
  /** The line of the file, from 1. A quoted cell may contain line ends, so it is not the row's number. */
  line: number;
  cells: string[];
}

type CsvTable =
  | { ok: true; rows: CsvRow[] }
  | { ok: false; problem: 'too-many-rows' | 'open-quote' | 'too-many-cells'; line: number };

interface CsvLimits {
  maxRows: number;
  maxCells: number;
}

const DELIMITERS = [',', ';', '\t'] as const;

/** Rows without any text are left out. */
export function readDelimited(text: string, limits: CsvLimits): CsvTable {
  const reader = new CsvReader(text.startsWith('\uFEFF') ? text.slice(1) : text, limits);
  return reader.read();
}

class CsvReader {
  readonly #text: string;
  readonly #limits: CsvLimits;
  readonly #delimiter: string;
  readonly #rows: CsvRow[] = [];
  #at = 0;
  #line = 1;

  constructor(text: string, limits: CsvLimits) {
    this.#text = text;
    this.#limits = limits;
    this.#delimiter = delimiterOf(text);
  }

  read(): CsvTable {
    while (this.#at < this.#text.length) {
      const line = this.#line;
      const cells = this.#row();
      if (cells === undefined) return { ok: false, problem: 'open-quote', line };
      if (cells.length > this.#limits.maxCells) return { ok: false, problem: 'too-many-cells', line };
      if (cells.every((cell) => cell === '')) continue;
      if (this.#rows.length >= this.#limits.maxRows) return { ok: false, problem: 'too-many-rows', line };
      this.#rows.push({ line, cells });
    }
    return { ok: true, rows: this.#rows };
  }

  /** Returns undefined where a quote is never closed. */
  #row(): string[] | undefined {
    const cells: string[] = [];
    for (;;) {
      const cell = this.#text[this.#at] === '"' ? this.#quoted() : this.#plain();
      if (cell === undefined) return undefined;
      cells.push(cell.trim());
      if (this.#text[this.#at] !== this.#delimiter) break;
      this.#at++;
      if (cells.length > this.#limits.maxCells) break;
    }
    if (this.#text[this.#at] === '\r') this.#at++;
    if (this.#text[this.#at] === '\n') this.#at++;
    this.#line++;
    return cells;
  }

  #plain(): string {
    const from = this.#at;
    while (this.#at < this.#text.length && !this.#ends(this.#text[this.#at] as string)) this.#at++;
    return this.#text.slice(from, this.#at);
  }

  #quoted(): string | undefined {
    let cell = '';
    this.#at++;
    for (;;) {
      const end = this.#text.indexOf('"', this.#at);
      if (end < 0) return undefined;
      const part = this.#text.slice(this.#at, end);
      for (const sign of part) if (sign === '\n') this.#line++;
      cell += part;
      this.#at = end + 1;
      if (this.#text[this.#at] !== '"') break;
      cell += '"';
      this.#at++;
    }
    // Text between the closing quote and the next separator belongs to the cell, as spreadsheets read it.
    return cell + this.#plain();
  }

  #ends(sign: string): boolean {
    return sign === this.#delimiter || sign === '\n' || sign === '\r';
  }
}

/** The separator that the first line has most of. */
function delimiterOf(text: string): string {
  const end = text.indexOf('\n');
  const head = end < 0 ? text : text.slice(0, end);
  const count = (sign: string) => head.split(sign).length;
  return DELIMITERS.reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}
