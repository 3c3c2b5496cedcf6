/**
 * A new document, searchable with the transaction that takes it: two statements, because the embedded database takes about as long
 * to be asked as to answer. The base's row is locked by whoever calls this.
 */
import type { Queryable } from '../../platform/db/index.ts';
import type { CutPassage } from '../passages/cut.ts';
import { INSERTED, insertedValues, type KnowledgeDocument } from './document-rows.ts';
import { passageColumns, passagesOfWords } from './passage-rows.ts';
import { CHANGE_BASE, type PassageTerms, segmentsOf } from './posting-rows.ts';

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
  const rows = await tx.query<{ id: bigint; ordinal: number }>(
    `with document as (
       insert into knowledge_document (${INSERTED}, state, progress, passages, indexed_revision)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, 'ready', 100, cardinality($10::int[]), 1))
     insert into knowledge_passage (base_id, document_id, revision, live, ordinal, text, page, heading, tokens, terms, words)
     select $2, $1, 1, true, r.ordinal, r.text, r.page, r.heading, r.tokens, r.terms, array_to_tsvector(string_to_array(r.terms, ' '))
       from unnest($10::int[], $11::text[], $12::int[], $13::text[], $14::int[], $15::text[])
         as r(ordinal, text, page, heading, tokens, terms)
     returning id, ordinal`,
    [...insertedValues(document), ...columns],
    { name: 'knowledge-document-publish' },
  );
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
  await tx.query(
    `with counted as (
       insert into knowledge_word (base_id, word, passages)
       select $1, r.word, r.passages from unnest($5::text[], $6::int[]) as r(word, passages)
       on conflict (base_id, word) do update set passages = knowledge_word.passages + excluded.passages),
     posted as (
       insert into knowledge_posting (base_id, word, segment, data)
       select $1, r.word, r.segment, decode(r.data, 'hex') from unnest($7::text[], $8::int[], $9::text[]) as r(word, segment, data)
       on conflict (base_id, word, segment) do update set data = knowledge_posting.data || excluded.data)
     ${CHANGE_BASE}`,
    [
      baseId,
      passages.length,
      passages.length,
      segments.reduce((sum, { total }) => sum + total, 0),
      words,
      words.map((word) => counts.get(word)),
      segments.flatMap((segment) => segment.words),
      segments.flatMap((segment) => segment.words.map(() => segment.segment)),
      segments.flatMap(({ data }) => data),
    ],
    { name: 'knowledge-words-publish' },
  );
}
