/**
 * Brings the postings of bases up to their version: for bases from before there were postings, for what a replica of
 * 0.1.0 published, and again where too many postings belong to deleted passages. Until then such a base is searched
 * through the index that all bases share, so nothing waits for it. Each step is a short transaction, and any replica
 * may take the next one.
 */
import type { Database, Queryable } from '../../platform/db/index.ts';
import { ALLOW_LONG_STATEMENTS } from '../store/base-rows.ts';
import { addPostings, type LockedBase, lockBase } from '../store/posting-rows.ts';
import {
  ADD_INDEXED,
  BASE_TO_INDEX,
  DELETE_POSTINGS,
  FORGET_INDEXED,
  FORGET_INDEXED_REVISIONS,
  LIVE_TERMS,
  MARK_BASE_INDEXED,
  NEVER_INDEXED,
  NOTE_INDEXED_REVISIONS,
  REPLACED_SINCE_INDEXED,
} from './index-base-sql.ts';

const DOCUMENTS_PER_STEP = 50;
const PASSAGES_PER_STEP = 512;
/**
 * The postings of deleted passages that a search may have to read in vain, beside half as many as there are passages.
 */
const MAX_GONE = 256;

/** One step for one base; false when all bases are up to date. */
export async function indexNextBase(db: Database): Promise<boolean> {
  const next = await BASE_TO_INDEX.first(db, [MAX_GONE]);
  if (!next) return false;
  await db.transaction(async (tx) => {
    await ALLOW_LONG_STATEMENTS.run(tx);
    const base = await lockBase(tx, next.id);
    if (!base) return;
    if (base.indexedPassages > base.passages * 1.5 + MAX_GONE) await beginAnew(tx, next.id);
    else await addMissing(tx, next.id, base);
  });
  return true;
}

async function beginAnew(tx: Queryable, baseId: string): Promise<void> {
  await DELETE_POSTINGS.run(tx, [baseId]);
  await FORGET_INDEXED_REVISIONS.run(tx, [baseId]);
  await FORGET_INDEXED.run(tx, [baseId]);
}

async function addMissing(tx: Queryable, baseId: string, base: LockedBase): Promise<void> {
  const documents = await missingDocuments(tx, baseId);
  if (documents.length === 0) {
    await MARK_BASE_INDEXED.run(tx, [baseId]);
    return;
  }
  const passages = await LIVE_TERMS.rows(tx, [documents]);
  const added = await addPostings(tx, baseId, base.indexedPassages, passages);
  await NOTE_INDEXED_REVISIONS.run(tx, [documents]);
  await ADD_INDEXED.run(tx, [baseId, added.passages, added.words]);
}

/**
 * Documents that were never added come first, which needs no look at passages; then those that were replaced without
 * it.
 */
async function missingDocuments(tx: Queryable, baseId: string): Promise<string[]> {
  const never = await NEVER_INDEXED.rows(tx, [baseId, DOCUMENTS_PER_STEP]);
  if (never.length > 0) return withinStep(never);
  const replaced = await REPLACED_SINCE_INDEXED.rows(tx, [baseId, DOCUMENTS_PER_STEP]);
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
