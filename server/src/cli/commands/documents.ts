/** `dargah documents …`: the documents of the books, for the accountant. */
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { BYTE_ORDER_MARK, type CsvCell, csvLine } from '../../core/write-csv.ts';
import { type Context, type Noun, query, showList, showRecord, step } from '../command.ts';

const FILTERS = ['kind', 'party', 'number', 'from', 'to'] as const;
const OPTIONS = '[--kind KIND] [--party ID] [--number N] [--from TIME] [--to TIME]';
const COLUMNS = ['id', 'kind', 'dated_on', 'number', 'party', 'amount', 'note', 'created_by', 'created_at'] as const;
const AT_ONCE = 200;

export const documents: Noun = {
  summary: 'the papers of the books',
  verbs: {
    list: {
      usage: `list ${OPTIONS} [--limit N] [--after CURSOR]`,
      summary: 'newest first',
      run: async (context) =>
        showList(context, await context.api.call('GET', `/documents${query(context, ...FILTERS)}`), [
          ['DAY', 'dated_on'],
          ['ID', 'id'],
          ['KIND', 'kind'],
          ['NUMBER', 'number'],
          ['PARTY', 'party'],
          ['TOMAN', 'amount'],
        ]),
    },
    show: {
      usage: 'show ID',
      summary: 'a paper with its lines',
      run: async (context) =>
        showRecord(context, await context.api.call('GET', `/documents/${step(context, 0, 'ID')}`)),
    },
    export: {
      usage: `export ${OPTIONS}`,
      summary: 'all of them as CSV on standard output, newest first',
      run: writeAll,
    },
  },
};

/** Reads page by page, so that a page costs the same however many there are. */
async function writeAll(context: Context): Promise<undefined> {
  const asked = new URLSearchParams({ limit: String(AT_ONCE) });
  for (const name of FILTERS) {
    const value = context.options.text(name);
    if (value !== undefined) asked.set(name, value);
  }
  context.print(BYTE_ORDER_MARK + csvLine(COLUMNS).trimEnd());
  for (let after: string | undefined = ''; after !== undefined; ) {
    if (after !== '') asked.set('after', after);
    const page: JsonObject = await context.api.call('GET', `/documents?${asked}`);
    const rows = Array.isArray(page['data']) ? page['data'].filter(isJsonObject) : [];
    for (const row of rows) context.print(csvLine(COLUMNS.map((name) => (row[name] ?? null) as CsvCell)).trimEnd());
    after = typeof page['next'] === 'string' ? page['next'] : undefined;
  }
  return undefined;
}
