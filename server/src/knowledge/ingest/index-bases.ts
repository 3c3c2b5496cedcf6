/**
 * Brings the postings of bases up to their version: of bases from before there were postings, of what a replica of 0.1.0
 * published, and anew where too much of them tells of passages that are gone. Until then such a base is searched through the
 * index that all bases share, so nothing waits for it. Each step is a short transaction, and any replica may take the next one.
 */
import type { Database, Queryable } from '../../platform/db/index.ts';
import { addPostings, type LockedBase, lockBase, type PassageTerms } from '../store/posting-rows.ts';

const DOCUMENTS_PER_STEP = 50;
const PASSAGES_PER_STEP = 512;
/** Postings of gone passages that a search has to read for nothing, beside half as many as there are passages. */
const MAX_GONE = 256;

/** One step for one base; false when all bases are up to date. */
export async function indexNextBase(db: Database): Promise<boolean> {
  const [next] = await db.query<{ id: string }>(
    `select id from knowledge_base
      where passages > 0 and (indexed_version is distinct from version or indexed_passages > passages + passages / 2 + $1)
      order by id limit 1`,
    [MAX_GONE],
    { name: 'knowledge-base-to-index' },
  );
  if (!next) return false;
  await db.transaction(async (tx) => {
    await tx.query('set local statement_timeout = 120000');
    const base = await lockBase(tx, next.id);
    if (!base) return;
    if (base.indexedPassages > base.passages * 1.5 + MAX_GONE) await beginAnew(tx, next.id);
    else await addMissing(tx, next.id, base);
  });
  return true;
}

async function beginAnew(tx: Queryable, baseId: string): Promise<void> {
  await tx.query('delete from knowledge_posting where base_id = $1', [baseId]);
  await tx.query('update knowledge_document set indexed_revision = null where base_id = $1', [baseId]);
  await tx.query(
    'update knowledge_base set indexed_version = null, indexed_passages = 0, indexed_words = 0 where id = $1',
    [baseId],
  );
}

async function addMissing(tx: Queryable, baseId: string, base: LockedBase): Promise<void> {
  const documents = await missingDocuments(tx, baseId);
  if (documents.length === 0) {
    await tx.query('update knowledge_base set indexed_version = version where id = $1', [baseId]);
    return;
  }
  const passages = await tx.query<PassageTerms>(
    'select id, terms from knowledge_passage where document_id = any($1) and live order by document_id, ordinal',
    [documents],
  );
  const added = await addPostings(tx, baseId, base.indexedPassages, passages);
  await tx.query(
    `update knowledge_document d set indexed_revision =
       coalesce((select p.revision from knowledge_passage p where p.document_id = d.id and p.live limit 1), 0)
      where d.id = any($1)`,
    [documents],
  );
  await tx.query(
    'update knowledge_base set indexed_passages = indexed_passages + $2, indexed_words = indexed_words + $3 where id = $1',
    [baseId, added.passages, added.words],
  );
}

/** Those that were never added first, which needs no look at passages; then those that were replaced without it. */
async function missingDocuments(tx: Queryable, baseId: string): Promise<string[]> {
  const never = await tx.query<{ id: string; passages: number }>(
    `select id, passages from knowledge_document where base_id = $1 and passages > 0 and indexed_revision is null
      order by created_at, id limit $2`,
    [baseId, DOCUMENTS_PER_STEP],
  );
  if (never.length > 0) return withinStep(never);
  const replaced = await tx.query<{ id: string; passages: number }>(
    `select d.id, d.passages from knowledge_document d where d.base_id = $1 and d.passages > 0 and exists (
       select from knowledge_passage p where p.document_id = d.id and p.live and p.revision <> d.indexed_revision)
      order by d.created_at, d.id limit $2`,
    [baseId, DOCUMENTS_PER_STEP],
  );
  return withinStep(replaced);
}

/** At least one, however long it is. */
function withinStep(documents: readonly { id: string; passages: number }[]): string[] {
  let passages = 0;
  const chosen = documents.filter((document, at) => {
    passages += document.passages;
    return at === 0 || passages <= PASSAGES_PER_STEP;
  });
  return chosen.map(({ id }) => id);
}
