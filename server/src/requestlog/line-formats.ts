/**
 * The lines that released versions left in their journals. A line names its format in its third part, so that a build reads its
 * own lines and those of versions that were released before it, whatever columns came since: a process that was killed may be
 * followed by one of the next version, which has to post what it charged.
 *
 *   1  0.1.0      id ⇥ created_at ⇥ shared ⇥ …              no name: where later lines have theirs stands the shared part
 *   2  0.2.0 on   id ⇥ created_at ⇥ format ⇥ shared ⇥ …
 *
 * Released formats never change. The first column that is added after a release takes the next number for LINE_FORMAT; a test
 * asks for it, and for an entry here with every release.
 */
export const LINE_FORMAT = 2;

export interface LineLayout {
  readonly format: number;
  /** Names of the columns, separated by tabs, without the format and the shared part, which come after the second. */
  readonly own: readonly string[];
  readonly shared: readonly string[];
}

export const RELEASED_LINES: Readonly<Record<string, LineLayout>> = {
  '0.1.0': {
    format: 1,
    own: [
      'id',
      'created_at',
      'held',
      'cost',
      'provider_cost',
      'duration_ms',
      'input_tokens',
      'output_tokens',
      'detail',
    ],
    shared: [
      'account_id',
      'key_id',
      'endpoint',
      'model',
      'stream',
      'price_version',
      'day',
      'state',
      'error_code',
      'status',
      'provider',
      'counters',
    ],
  },
};

/** The first format has no name in its lines. */
const UNNAMED_FORMAT = 1;
/** The id and the time come first, in every format. */
export const BEFORE_FORMAT = 2;
/** Between shared columns. */
export const SHARED_SEPARATOR = '\f';

/**
 * The columns of a line by their names; undefined when none of the layouts fits. The columns of the shared part are
 * counted too: with one column more or less, every later value would be read as its neighbour's and posted so.
 */
export function columnsOfLine(text: string, layouts: readonly LineLayout[]): LineRow | undefined {
  const parts = text.split('\t');
  const named = parts[BEFORE_FORMAT] ?? '';
  // A shared part contains separators, so it is never mistaken for a number.
  const format = /^\d{1,6}$/.test(named) ? Number(named) : UNNAMED_FORMAT;
  if (format !== UNNAMED_FORMAT) parts.splice(BEFORE_FORMAT, 1);
  const [shared = ''] = parts.splice(BEFORE_FORMAT, 1);
  const sharedParts = shared.split(SHARED_SEPARATOR);
  const layout = layouts.find((one) => one.format === format);
  if (parts.length !== layout?.own.length || sharedParts.length !== layout.shared.length) return undefined;
  const columns: Record<string, string> = {};
  layout.own.forEach((name, at) => {
    columns[name] = parts[at] as string;
  });
  layout.shared.forEach((name, at) => {
    columns[name] = sharedParts[at] as string;
  });
  return { format, columns };
}

export interface LineRow {
  readonly format: number;
  readonly columns: Readonly<Record<string, string>>;
}
