/** Every statement of the server, described by a migrated database: what its row is declared as is what the database would answer. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEngine } from '../../../src/platform/db/embedded-engine.ts';
import {
  type DeclaredStatement,
  declaredStatements,
  undescribedStatements,
} from '../../../src/platform/db/statement.ts';
import { MAKE_TABLE } from '../../../src/requestlog/archive/database-archive-sql.ts';
import { temporaryDataDirectory } from '../../services/embedded-database.ts';
import { describeStatement } from './describe-statement.ts';

const sources = fileURLToPath(new URL('../../../src', import.meta.url));
const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const HOLDS_SQL = /-(sql|rows)\.ts$/;
/** Speaks ClickHouse's SQL through ClickHouse's own client: our database cannot describe it, and its `.query(` is not of our database. */
const OF_CLICKHOUSE = 'requestlog/archive/clickhouse-archive.ts';

let engine: Awaited<ReturnType<typeof openEngine>>;

beforeAll(async () => {
  engine = await openEngine(join(await temporaryDataDirectory(), 'database'));
  // An archive is a database of its own, whose one table no migration makes.
  await engine.exec(MAKE_TABLE.text);
  for (const name of files.filter((file) => HOLDS_SQL.test(file))) await import(join(sources, name));
});

afterAll(() => engine.close());

test('every statement can be prepared, and its row is what the database answers', async () => {
  const faults: string[] = [];
  for (const statement of declaredStatements()) faults.push(...(await faultsOf(statement)));
  expect(faults).toEqual([]);
});

test('all but the statements on vectors that are kept as bytes are described', () => {
  const others = undescribedStatements().filter((text) => !/knowledge_vector/.test(text));
  expect(others).toEqual([]);
  expect(undescribedStatements()).toHaveLength(2);
});

test('only files of statements hold SQL', () => {
  const outside = files.filter(
    (name) => !HOLDS_SQL.test(name) && !name.startsWith('platform/db/') && name !== OF_CLICKHOUSE,
  );
  const holding = outside.filter((name) => {
    const source = readSource(name);
    return CALLS_DATABASE.test(source) || SQL_TEXT.test(source);
  });
  expect(holding).toEqual([]);
});

/** Also terms of a statement that a service would put together. */
const SQL_TEXT =
  /['`(]\s*(select (from|exists|\S+( as \w+)?,|[^'`]{1,200} from )|insert into |delete from |update \w+ set )|['`(](\w+ = [?§]|[^'`]* is (not )?null[^'`]*['`])/;
const CALLS_DATABASE = /\.query(<[^(]*>)?\(|\b(statement|command)(For)?\(/;

async function faultsOf({ text, columns }: DeclaredStatement): Promise<string[]> {
  const fault = (what: string) => `${what}\n  in: ${text.trim().replace(/\s+/g, ' ').slice(0, 300)}`;
  const described = await describeStatement(engine, text).catch((error: Error) => error);
  if (described instanceof Error) return [fault(described.message)];
  const names = Object.keys(columns);
  const answered = described.map(({ name }) => name);
  if (names.toSorted().join() !== answered.toSorted().join())
    return [fault(`declared: ${names.join(', ')}; answered: ${answered.join(', ')}`)];
  return described.flatMap(({ name, type, mayBeNull }) => {
    const declared = columns[name];
    if (declared === undefined) return [];
    if (declared.type !== type) return [fault(`${name} is declared as ${declared.type} and is ${type}`)];
    if (mayBeNull && !declared.nullable && declared.ruledOut !== true)
      return [fault(`${name} may be null and is declared as never null`)];
    return [];
  });
}

/** Without comments: a sentence may say that something is null. */
function readSource(name: string): string {
  const text = readFileSync(join(sources, name), 'utf8');
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}
