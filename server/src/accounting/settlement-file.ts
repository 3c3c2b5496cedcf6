/**
 * Reads a file of a gateway or a bank into lines. Every row is read before anything is written: a file with one bad row
 * is refused as a whole, and each bad row is named by its line.
 */
import { latinDigits } from '@dargah/core/persian-text.ts';
import type { Text } from '@dargah/core/text.ts';
import { type CsvRow, readDelimited } from '../core/csv.ts';
import { parseDayInput } from '../keys/index.ts';
import { settlementReasons } from './settlement-reasons.ts';

/** Which column holds which value, by the names in the first line. */
export interface FileColumns {
  date: string;
  /** Positive for money in, negative for money out. Otherwise `paid_in` and `paid_out` are two columns. */
  amount?: string | undefined;
  paid_in?: string | undefined;
  paid_out?: string | undefined;
  fee?: string | undefined;
  reference?: string | undefined;
  external_id?: string | undefined;
  text?: string | undefined;
}

export type FileUnit = 'IRR' | 'IRT';

export interface FileLine {
  line: number;
  day: string;
  /** Whole units. */
  gross: bigint;
  fee: bigint;
  reference: string | null;
  externalId: string | null;
  text: string | null;
}

export interface BadRow {
  line: number;
  column: string;
  reason: Text;
}

interface ReadFile {
  /** The names in the first line, from which a person chooses the columns. */
  names: string[];
  lines: FileLine[];
  bad: BadRow[];
}

const MAX_FILE_ROWS = 20_000;
const MAX_COLUMNS = 60;
const MAX_BAD = 50;
const MAX_TEXT = 300;
/** An amount such as `1,234,500`, `-500` or `(500)`; exponents and formulas are refused. */
const AMOUNT = /^[-+(]?(\d{1,15})(?:\.0{1,6})?\)?$/;
const SEPARATORS = /[,٬،\s_]/g;

export function readSettlementFile(text: string, columns: FileColumns | undefined): ReadFile {
  const table = readDelimited(text, { maxRows: MAX_FILE_ROWS + 1, maxCells: MAX_COLUMNS });
  if (!table.ok) {
    const reason = settlementReasons.unreadable[table.problem];
    return { names: [], lines: [], bad: [{ line: table.line, column: '', reason }] };
  }
  const [head, ...rows] = table.rows;
  const names = head?.cells.map((name) => name.slice(0, 100)) ?? [];
  if (head === undefined || rows.length === 0)
    return { names, lines: [], bad: [{ line: 1, column: '', reason: settlementReasons.emptyFile }] };
  if (columns === undefined) return { names, lines: [], bad: [] };
  const missing = Object.values(columns).find((name) => name !== undefined && !names.includes(name));
  if (missing !== undefined)
    return {
      names,
      lines: [],
      bad: [{ line: head.line, column: missing, reason: settlementReasons.noColumn(missing) }],
    };
  return { names, ...readRows(rows, names, columns) };
}

function readRows(rows: CsvRow[], names: string[], columns: FileColumns): Pick<ReadFile, 'lines' | 'bad'> {
  const lines: FileLine[] = [];
  const bad: BadRow[] = [];
  for (const { line, cells } of rows) {
    const cell = (name: string | undefined) => (name === undefined ? '' : (cells[names.indexOf(name)] ?? ''));
    const fault = (column: string, reason: Text) => {
      if (bad.length < MAX_BAD) bad.push({ line, column, reason });
    };
    const day = parseDayInput(cell(columns.date));
    const gross = grossOf(columns, cell);
    const fee = columns.fee === undefined ? 0n : amountOf(cell(columns.fee));
    if (day === undefined) fault(columns.date, settlementReasons.badDate);
    else if (gross === undefined) fault(columns.amount ?? columns.paid_in ?? '', settlementReasons.badAmount);
    else if (fee === undefined || fee < 0n) fault(columns.fee ?? '', settlementReasons.badAmount);
    else if (gross !== 0n || fee !== 0n)
      lines.push({
        line,
        day,
        gross,
        fee,
        reference: textOf(cell(columns.reference)),
        externalId: textOf(cell(columns.external_id)),
        text: textOf(cell(columns.text)),
      });
  }
  return { lines, bad };
}

function grossOf(columns: FileColumns, cell: (name: string | undefined) => string): bigint | undefined {
  if (columns.amount !== undefined) return amountOf(cell(columns.amount));
  const [paidIn, paidOut] = [amountOf(cell(columns.paid_in)), amountOf(cell(columns.paid_out))];
  if (paidIn === undefined || paidOut === undefined || (paidIn !== 0n && paidOut !== 0n)) return undefined;
  return paidIn - (paidOut < 0n ? -paidOut : paidOut);
}

/** An empty cell counts as zero. */
function amountOf(written: string): bigint | undefined {
  const text = latinDigits(written.normalize('NFKC')).replace(SEPARATORS, '').replace('\u2212', '-');
  if (text === '') return 0n;
  const digits = AMOUNT.exec(text)?.[1];
  if (digits === undefined || text.startsWith('(') !== text.endsWith(')')) return undefined;
  const isNegative = text.startsWith('-') || text.startsWith('(');
  return isNegative ? -BigInt(digits) : BigInt(digits);
}

function textOf(cell: string): string | null {
  const clean = cell
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT);
  return clean === '' ? null : clean;
}
