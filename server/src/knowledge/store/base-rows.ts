/** Bases in the database. An account sees its own; the operator (no account) sees all. */
import type { Queryable } from '../../platform/db/index.ts';
import { type Page, type PageStart, toPage } from '../../platform/db/pages.ts';

export interface KnowledgeBase {
  id: string;
  accountId: string;
  name: string;
  embeddingModel: string | null;
  documents: number;
  passages: number;
  bytes: number;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = `b.id, b.account_id as "accountId", b.name, b.embedding_model as "embeddingModel",
  b.passages::float8 as passages, b.created_at as "createdAt", b.updated_at as "updatedAt",
  (select count(*)::float8 from knowledge_document d where d.base_id = b.id) as documents,
  (select coalesce(sum(d.bytes), 0)::float8 from knowledge_document d where d.base_id = b.id) as bytes`;

export async function insertBase(
  tx: Queryable,
  base: Pick<KnowledgeBase, 'id' | 'accountId' | 'name' | 'embeddingModel' | 'createdAt'>,
): Promise<void> {
  await tx.query(
    `insert into knowledge_base (id, account_id, name, embedding_model, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)`,
    [base.id, base.accountId, base.name, base.embeddingModel, base.createdAt],
  );
}

export async function countBases(tx: Queryable, accountId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::float8 as count from knowledge_base where account_id = $1',
    [accountId],
  );
  return row?.count ?? 0;
}

export async function selectBase(db: Queryable, id: string): Promise<KnowledgeBase | undefined> {
  const [row] = await db.query<KnowledgeBase>(`select ${COLUMNS} from knowledge_base b where b.id = $1`, [id]);
  return row;
}

/** `ids` null: not limited to named ones. */
export async function selectBases(
  db: Queryable,
  accountId: string | null,
  ids: string[] | null,
  start: PageStart,
): Promise<Page<KnowledgeBase>> {
  const rows = await db.query<KnowledgeBase>(
    `select ${COLUMNS} from knowledge_base b
      where ($1::text is null or b.account_id = $1) and ($2::text[] is null or b.id = any($2))
        and ($3::timestamptz is null or (b.created_at, b.id) < ($3, $4))
      order by b.created_at desc, b.id desc limit $5`,
    [accountId, ids, start.time, start.id, start.fetch],
  );
  return toPage(rows, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

export async function renameBase(tx: Queryable, id: string, name: string, at: Date): Promise<void> {
  await tx.query('update knowledge_base set name = $2, updated_at = $3 where id = $1', [id, name, at]);
}

export async function deleteBase(tx: Queryable, id: string): Promise<void> {
  await tx.query('delete from knowledge_base where id = $1', [id]);
}

/** What a search must know of the bases it was asked for. */
export interface SearchedBase {
  id: string;
  accountId: string;
  embeddingModel: string | null;
  version: bigint;
  passages: number;
  /** False while the postings lack something. */
  indexed: boolean;
  /** Passages in the postings, those that are gone included, and the words in them. */
  indexedPassages: number;
  indexedWords: number;
}

export function selectSearched(db: Queryable, ids: readonly string[]): Promise<SearchedBase[]> {
  return db.query<SearchedBase>(
    `select id, account_id as "accountId", embedding_model as "embeddingModel", version, passages::float8 as passages,
            indexed_version is not distinct from version as indexed, indexed_passages::float8 as "indexedPassages",
            indexed_words::float8 as "indexedWords"
       from knowledge_base where id = any($1)`,
    [ids],
    { name: 'knowledge-searched-bases' },
  );
}
