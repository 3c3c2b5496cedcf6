/**
 * Makes a new document searchable in the transaction that stores it, with two statements, because in the embedded
 * database each statement has a cost of its own. The caller has locked the base's row.
 */
import type { Queryable } from '../../platform/db/index.ts';
import type { CutPassage } from '../passages/cut.ts';
import { insertedValues, type KnowledgeDocument } from './document-rows.ts';
import { passageColumns, passagesOfWords } from './passage-rows.ts';
import { type PassageTerms, segmentsOf } from './posting-rows.ts';
import { ADD_WORDS, INSERT_READY } from './publish-sql.ts';

/** `first` is the number of the first passage: how many were ever added to the postings before. */
export async function publishNewDocument(
  tx: Queryable,
  document: KnowledgeDocument,
  first: number,
  passages: readonly CutPassage[],
): Promise<KnowledgeDocument> {
  await addWords(tx, document.baseId, first, await insertReady(tx, document, passages));
  return { ...document, state: 'ready', progress: 100, passages: passages.length };
}

async function insertReady(
  tx: Queryable,
  document: KnowledgeDocument,
  passages: readonly CutPassage[],
): Promise<PassageTerms[]> {
  const { terms, columns } = passageColumns(passages, 0, document.name);
  const rows = await INSERT_READY.rows(tx, [...insertedValues(document), ...columns]);
  return rows.map(({ id, ordinal }) => ({ id, terms: terms[ordinal] ?? '' }));
}

/** Counts of words, postings, and the version of the base. */
async function addWords(
  tx: Queryable,
  baseId: string,
  first: number,
  passages: readonly PassageTerms[],
): Promise<void> {
  const counts = passagesOfWords(passages);
  const words = [...counts.keys()].sort();
  const segments = segmentsOf(first, passages);
  await ADD_WORDS.run(tx, [
    baseId,
    passages.length,
    passages.length,
    segments.reduce((sum, { total }) => sum + total, 0),
    words,
    words.map((word) => counts.get(word)),
    segments.flatMap((segment) => segment.words),
    segments.flatMap((segment) => segment.words.map(() => segment.segment)),
    segments.flatMap(({ data }) => data),
  ]);
}
