/** Asks the embedded database what a statement would answer, without running it: the protocol's Parse and Describe. */
import { type PGlite, protocol } from '@electric-sql/pglite';

export interface DescribedColumn {
  name: string;
  /** As `format_type` names it. */
  type: string;
  /** True for a plain column that its table allows to be null; false also where the database cannot tell. */
  mayBeNull: boolean;
}

interface Field {
  name: string;
  tableID: number;
  columnID: number;
  dataTypeID: number;
}

export async function describeStatement(engine: PGlite, text: string): Promise<DescribedColumn[]> {
  const { serialize } = protocol;
  const message = Buffer.concat([
    serialize.parse({ text }),
    serialize.describe({ type: 'S' }),
    serialize.sync(),
  ] as Uint8Array[]);
  const { messages } = await engine.execProtocol(message, { syncToFs: false });
  const row = messages.find(({ name }) => name === 'rowDescription') as { fields?: Field[] } | undefined;
  return Promise.all((row?.fields ?? []).map((field) => toColumn(engine, field)));
}

async function toColumn(engine: PGlite, { name, tableID, columnID, dataTypeID }: Field): Promise<DescribedColumn> {
  const known = `${dataTypeID} ${tableID} ${columnID}`;
  const facts = factsOf.get(known) ?? askFacts(engine, dataTypeID, tableID, columnID);
  factsOf.set(known, facts);
  return { name, ...(await facts) };
}

const factsOf = new Map<string, Promise<Omit<DescribedColumn, 'name'>>>();

async function askFacts(engine: PGlite, type: number, table: number, column: number) {
  const { rows } = await engine.query<{ type: string; mayBeNull: boolean }>(
    `select format_type($1, null) as type,
            exists (select from pg_attribute where attrelid = $2 and attnum = $3 and not attnotnull
                      and exists (select from pg_class where oid = attrelid and relkind in ('r', 'p'))) as "mayBeNull"`,
    [type, table, column],
  );
  const [facts] = rows;
  if (!facts) throw new Error('the database knows no facts of a column');
  return facts;
}
