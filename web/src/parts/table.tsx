/** Our own table: the server sorts, filters and pages; under 640 px a row folds into two lines. */
import type { KeyboardEvent, ReactNode } from 'react';
import { useShared } from '../texts/shared.ts';

export interface Column<Row> {
  /** Also the name in a CSV. */
  id: string;
  head: ReactNode;
  cell(row: Row): ReactNode;
  /** Numbers stand on their right edge in both languages. */
  number?: boolean;
  /**
   * Its position in the folded row: c1 leads, c2 is opposite, c3 and c4 are the dim second line. Other columns fold
   * away.
   */
  fold?: 'c1' | 'c2' | 'c3' | 'c4';
  /** Left out while a drawer is open beside the list. */
  spare?: boolean;
  className?: string;
}

export interface TableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  idOf(row: Row): string;
  selected?: string | undefined;
  onOpen?: ((row: Row) => void) | undefined;
  dense?: boolean;
  empty?: ReactNode;
  foot?: ReactNode;
  /** How many skeleton rows stand in while the first page is read. */
  skeleton?: number;
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, dense = false, empty, foot, skeleton = 5 } = props;
  if (rows !== undefined && rows.length === 0 && empty !== undefined) return <>{empty}</>;
  return (
    <>
      {/* What scrolls must be reachable by keyboard; rows that open are reachable themselves. */}
      <div className="scroll-x" tabIndex={props.onOpen === undefined ? 0 : undefined}>
        <table className={dense ? 'table dense fold' : 'table fold'} aria-label={label} aria-busy={rows === undefined}>
          <thead>
            <tr>
              {columns.map((column) =>
                column.head === '' ? (
                  <td key={column.id} className={headClass(column)} />
                ) : (
                  <th key={column.id} scope="col" className={headClass(column)}>
                    {column.head}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {rows === undefined
              ? Array.from({ length: skeleton }, (_, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: skeleton rows are all alike.
                  <tr key={index}>
                    {columns.map((column) => (
                      <td key={column.id} className={cellClass(column)}>
                        <span className={`skel w${(index + column.id.length) % 4}`} />
                      </td>
                    ))}
                  </tr>
                ))
              : rows.map((row) => <TableRow key={props.idOf(row)} row={row} table={props} />)}
          </tbody>
        </table>
      </div>
      {foot !== undefined && <div className="foot">{foot}</div>}
    </>
  );
}

function TableRow<Row>({ row, table }: { row: Row; table: TableProps<Row> }) {
  const { columns, onOpen, selected, idOf } = table;
  const open = onOpen === undefined ? undefined : () => onOpen(row);
  const byKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target === event.currentTarget) open?.();
  };
  return (
    <tr
      aria-selected={selected === undefined ? undefined : idOf(row) === selected}
      className={open === undefined ? undefined : 'opens'}
      data-id={open === undefined ? undefined : idOf(row)}
      tabIndex={open === undefined ? undefined : 0}
      onClick={(event) => {
        if (!(event.target as HTMLElement).closest('a, button, input, label')) open?.();
      }}
      onKeyDown={byKey}
    >
      {columns.map((column) => (
        <td key={column.id} className={cellClass(column)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

function headClass<Row>(column: Column<Row>): string {
  return [column.number === true && 'number', column.spare === true && 'ws'].filter(Boolean).join(' ');
}

function cellClass<Row>(column: Column<Row>): string {
  return [column.number === true && 'number', column.fold ?? 'hs', column.spare === true && 'ws', column.className]
    .filter(Boolean)
    .join(' ');
}

export function MoreButton({ more, busy, onMore }: { more: boolean; busy: boolean; onMore(): void }) {
  const texts = useShared();
  if (!more) return null;
  return (
    <button type="button" className="btn small" disabled={busy} onClick={onMore}>
      {busy ? texts.loading : texts.older}
    </button>
  );
}

/** Exactly what is on the screen, with raw values: Latin digits, ISO times, exact toman. */
export function downloadCsv(
  name: string,
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): void {
  const cell = (value: string | number | null) => {
    const text = value === null ? '' : String(value);
    // A text that begins like a formula would be run by a spreadsheet.
    const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = [head, ...rows].map((row) => row.map(cell).join(','));
  download(name, `\ufeff${lines.join('\r\n')}\r\n`, 'text/csv;charset=utf-8');
}

export function download(name: string, content: string | Blob, type = 'application/octet-stream'): void {
  const address = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
