/** Bases in the database. An account sees its own; the operator (no account) sees all. */
import {
  column,
  columnsOf,
  command,
  orNull,
  type Queryable,
  type RowOf,
  readAs,
  statement,
} from '../../platform/db/index.ts';
import { type Page, type PageStart, toPage } from '../../platform/db/pages.ts';

const baseRow = {
  id: column.text,
  accountId: column.text,
  name: column.text,
  embeddingModel: orNull(column.text),
  documents: readAs('(select count(*)::float8 from knowledge_document d where d.base_id = b.id)', column.float),
  passages: readAs('b.passages::float8', column.float),
  bytes: readAs(
    '(select coalesce(sum(d.bytes), 0)::float8 from knowledge_document d where d.base_id = b.id)',
    column.float,
  ),
  createdAt: column.timestamp,
  updatedAt: column.timestamp,
};
export type KnowledgeBase = RowOf<typeof baseRow>;

const COLUMNS = columnsOf(baseRow, 'b');

const INSERT_BASE = command(
  `insert into knowledge_base (id, account_id, name, embedding_model, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)`,
);

export async function insertBase(
  tx: Queryable,
  base: Pick<KnowledgeBase, 'id' | 'accountId' | 'name' | 'embeddingModel' | 'createdAt'>,
): Promise<void> {
  await INSERT_BASE.run(tx, [base.id, base.accountId, base.name, base.embeddingModel, base.createdAt]);
}

const COUNT_BASES = statement(
  { count: column.float },
  'select count(*)::float8 as count from knowledge_base where account_id = $1',
);

export async function countBases(tx: Queryable, accountId: string): Promise<number> {
  const row = await COUNT_BASES.first(tx, [accountId]);
  return row?.count ?? 0;
}

const BASE = statement(baseRow, `select ${COLUMNS} from knowledge_base b where b.id = $1`);

export async function selectBase(db: Queryable, id: string): Promise<KnowledgeBase | undefined> {
  return BASE.first(db, [id]);
}

const BASES = statement(
  baseRow,
  `select ${COLUMNS} from knowledge_base b
    where ($1::text is null or b.account_id = $1) and ($2::text[] is null or b.id = any($2))
      and ($3::timestamptz is null or (b.created_at, b.id) < ($3, $4))
    order by b.created_at desc, b.id desc limit $5`,
);

/** `ids` null means that the caller is not limited to named bases. */
export async function selectBases(
  db: Queryable,
  accountId: string | null,
  ids: string[] | null,
  start: PageStart,
): Promise<Page<KnowledgeBase>> {
  const rows = await BASES.rows(db, [accountId, ids, start.time, start.id, start.fetch]);
  return toPage(rows, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

const RENAME_BASE = command('update knowledge_base set name = $2, updated_at = $3 where id = $1');

export async function renameBase(tx: Queryable, id: string, name: string, at: Date): Promise<void> {
  await RENAME_BASE.run(tx, [id, name, at]);
}

const DELETE_BASE = command('delete from knowledge_base where id = $1');

export async function deleteBase(tx: Queryable, id: string): Promise<void> {
  await DELETE_BASE.run(tx, [id]);
}

/** What a search must know of the bases that it searches. */
const searchedRow = {
  id: column.text,
  accountId: column.text,
  embeddingModel: orNull(column.text),
  version: column.bigint,
  passages: readAs('passages::float8', column.float),
  /** False while the postings are incomplete. */
  indexed: readAs('indexed_version is not distinct from version', column.boolean),
  /** Passages in the postings, deleted ones included, and the words in them. */
  indexedPassages: readAs('indexed_passages::float8', column.float),
  indexedWords: readAs('indexed_words::float8', column.float),
};
export type SearchedBase = RowOf<typeof searchedRow>;

const SEARCHED_BASES = statement(
  searchedRow,
  `select ${columnsOf(searchedRow)} from knowledge_base where id = any($1)`,
  { name: 'knowledge-searched-bases' },
);

export function selectSearched(db: Queryable, ids: readonly string[]): Promise<SearchedBase[]> {
  return SEARCHED_BASES.rows(db, [ids]);
}

/** For a transaction that may touch thousands of passages and take longer than the usual timeout. */
export const ALLOW_LONG_STATEMENTS = command('set local statement_timeout = 120000');
