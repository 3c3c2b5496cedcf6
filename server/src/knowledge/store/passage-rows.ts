/** Passages in the database, from draft to searchable, with the count of their words. */
import type { Queryable } from '../../platform/db/index.ts';
import { wordsOf } from '../language/words.ts';
import type { CutPassage } from '../passages/cut.ts';
import type { Job } from './job-rows.ts';
import { addPostings, changeBase, countsOf, lockBase, type PassageTerms } from './posting-rows.ts';

const ROWS_PER_INSERT = 500;

/** The words a passage is found by: its own, those of its headings and of its document's name. */
export function searchedText(passage: { text: string; heading?: string | null }, documentName: string): string {
  return `${documentName}\n${passage.heading ?? ''}\n${passage.text}`;
}

export async function insertDrafts(tx: Queryable, job: Job, passages: readonly CutPassage[]): Promise<void> {
  await tx.query('delete from knowledge_passage where document_id = $1 and not live', [job.documentId]);
  await insertPassages(tx, job, passages, false);
}

async function insertPassages(
  tx: Queryable,
  job: Job,
  passages: readonly CutPassage[],
  live: boolean,
): Promise<PassageTerms[]> {
  const inserted: PassageTerms[] = [];
  for (let at = 0; at < passages.length; at += ROWS_PER_INSERT) {
    const batch = passages.slice(at, at + ROWS_PER_INSERT);
    const { terms, columns } = passageColumns(batch, at, job.name);
    const rows = await tx.query<{ id: bigint; ordinal: number }>(
      `insert into knowledge_passage (base_id, document_id, revision, live, ordinal, text, page, heading, tokens, terms, words)
       select $1, $2, $3, $10, r.ordinal, r.text, r.page, r.heading, r.tokens, r.terms, array_to_tsvector(string_to_array(r.terms, ' '))
         from unnest($4::int[], $5::text[], $6::int[], $7::text[], $8::int[], $9::text[]) as r(ordinal, text, page, heading, tokens, terms)
       returning id, ordinal`,
      [job.baseId, job.documentId, job.revision, ...columns, live],
      { name: 'knowledge-passages-insert' },
    );
    for (const { id, ordinal } of rows) inserted.push({ id, terms: terms[ordinal - at] ?? '' });
  }
  return inserted;
}

/** Passages as columns: ordinal, text, page, heading, tokens, and the words they are found by. */
export function passageColumns(passages: readonly CutPassage[], first: number, documentName: string) {
  const terms = passages.map((passage) => wordsOf(searchedText(passage, documentName)).join(' '));
  const columns = [
    passages.map((_, index) => first + index),
    passages.map(({ text }) => text),
    passages.map(({ page }) => page ?? null),
    passages.map(({ heading }) => heading ?? null),
    passages.map(({ tokens }) => tokens),
    terms,
  ];
  return { terms, columns };
}

export interface DraftToEmbed {
  id: bigint;
  text: string;
  heading: string | null;
}

export function draftsWithoutVector(db: Queryable, job: Job, limit: number): Promise<DraftToEmbed[]> {
  return db.query<DraftToEmbed>(
    `select p.id, p.text, p.heading from knowledge_passage p left join knowledge_vector v on v.passage_id = p.id
      where p.document_id = $1 and p.revision = $2 and not p.live and v.passage_id is null order by p.ordinal limit $3`,
    [job.documentId, job.revision, limit],
  );
}

export async function countDrafts(db: Queryable, job: Job): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'select count(*)::float8 as count from knowledge_passage where document_id = $1 and revision = $2 and not live',
    [job.documentId, job.revision],
  );
  return row?.count ?? 0;
}

/**
 * The instant of replacement: the old passages go, the drafts become searchable, the words are counted anew. The base's row
 * is locked first, so that two documents of a base never wait for each other's words.
 */
export async function publishDrafts(tx: Queryable, job: Job): Promise<void> {
  const { documentId, revision, baseId } = job;
  const base = await lockBase(tx, baseId);
  if (!base) return;
  await countWords(tx, baseId, documentId, revision);
  const gone = await tx.query('delete from knowledge_passage where document_id = $1 and live returning 1', [
    documentId,
  ]);
  const fresh = await tx.query<PassageTerms>(
    'update knowledge_passage set live = true where document_id = $1 and revision = $2 returning id, terms',
    [documentId, revision],
  );
  if (gone.length > 0) await forgetUnusedWords(tx, baseId);
  const added = await addPostings(tx, baseId, base.indexedPassages, fresh);
  await changeBase(tx, baseId, fresh.length - gone.length, added);
  await showReady(tx, job, fresh.length);
}

/** What publishing drafts does, for a document that was read in one go: its passages are written once, as searchable ones. */
export async function publishPassages(tx: Queryable, job: Job, passages: readonly CutPassage[]): Promise<void> {
  const { documentId, baseId } = job;
  const base = await lockBase(tx, baseId);
  if (!base) return;
  const gone = job.revision === 1 ? 0 : await forgetPassages(tx, baseId, documentId);
  const fresh = await insertPassages(tx, job, passages, true);
  await addToCounts(tx, baseId, fresh);
  const added = await addPostings(tx, baseId, base.indexedPassages, fresh);
  await changeBase(tx, baseId, fresh.length - gone, added);
  await showReady(tx, job, fresh.length);
}

async function showReady(tx: Queryable, { documentId, revision }: Job, passages: number): Promise<void> {
  await tx.query(
    `with content as (delete from knowledge_content where document_id = $1)
     update knowledge_document set state = 'ready', progress = 100, reason = null, passages = $3, indexed_revision = $2, updated_at = now()
      where id = $1 and revision = $2`,
    [documentId, revision, passages],
    { name: 'knowledge-document-ready' },
  );
}

export async function removeDocument(tx: Queryable, baseId: string, documentId: string): Promise<void> {
  await lockBase(tx, baseId);
  await changeBase(tx, baseId, -(await forgetPassages(tx, baseId, documentId)));
  await tx.query('delete from knowledge_document where id = $1', [documentId]);
}

/** Takes the live passages of a document and the counts of their words away; returns how many there were. */
async function forgetPassages(tx: Queryable, baseId: string, documentId: string): Promise<number> {
  await countWords(tx, baseId, documentId, -1);
  const gone = await tx.query('delete from knowledge_passage where document_id = $1 returning live', [documentId]);
  await forgetUnusedWords(tx, baseId);
  return (gone as { live: boolean }[]).filter(({ live }) => live).length;
}

async function addToCounts(tx: Queryable, baseId: string, passages: readonly PassageTerms[]): Promise<void> {
  const counts = passagesOfWords(passages);
  if (counts.size === 0) return;
  await tx.query(
    `insert into knowledge_word (base_id, word, passages) select $1, r.word, r.passages from unnest($2::text[], $3::int[]) as r(word, passages)
     on conflict (base_id, word) do update set passages = knowledge_word.passages + excluded.passages`,
    [baseId, [...counts.keys()], [...counts.values()]],
    { name: 'knowledge-words-add' },
  );
}

/** In how many of the passages each word stands. */
export function passagesOfWords(passages: readonly PassageTerms[]): Map<string, number> {
  return countsOf(passages.flatMap(({ terms }) => (terms === '' ? [] : [...new Set(terms.split(' '))])));
}

/** Updates the word counts of the base: words of live passages are subtracted, words of the drafts of `revision` are added. */
async function countWords(tx: Queryable, baseId: string, documentId: string, revision: number): Promise<void> {
  await tx.query(
    `insert into knowledge_word (base_id, word, passages)
     select $1, c.word, sum(c.change)::int from (
       select unnest(tsvector_to_array(words)) as word, case when live then -1 else 1 end as change
         from knowledge_passage where document_id = $2 and (live or revision = $3)) c
      group by c.word having sum(c.change) <> 0
     on conflict (base_id, word) do update set passages = knowledge_word.passages + excluded.passages`,
    [baseId, documentId, revision],
  );
}

async function forgetUnusedWords(tx: Queryable, baseId: string): Promise<void> {
  await tx.query('delete from knowledge_word where base_id = $1 and passages <= 0', [baseId]);
}

export interface FoundPassage {
  id: bigint;
  baseId: string;
  documentId: string;
  documentName: string;
  documentUrl: string | null;
  revision: number;
  ordinal: number;
  text: string;
  page: number | null;
  heading: string | null;
  tokens: number;
}

/** With its words in the order of the text, parted by blanks: those of the document's name and of the headings stand first. */
export type PassageWithTerms = FoundPassage & { terms: string };

export function selectPassages(db: Queryable, ids: readonly number[]): Promise<PassageWithTerms[]> {
  return db.query<PassageWithTerms>(
    `select p.id, p.base_id as "baseId", p.document_id as "documentId", d.name as "documentName", d.url as "documentUrl",
            p.revision, p.ordinal, p.text, p.page, p.heading, p.tokens, p.terms
       from knowledge_passage p join knowledge_document d on d.id = p.document_id
      where p.live and p.id = any($1::bigint[])`,
    [ids],
    { name: 'knowledge-passages' },
  );
}

/** Which of them are searchable, in their order. */
export async function livePassages(db: Queryable, ids: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ id: bigint }>(
    'select id from knowledge_passage where id = any($1::bigint[]) and live',
    [ids],
    { name: 'knowledge-passages-live' },
  );
  const live = new Set(rows.map(({ id }) => Number(id)));
  return ids.filter((id) => live.has(id));
}

/** The words of each, in the order of the text. */
export async function termsOfPassages(db: Queryable, ids: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await db.query<PassageTerms>(
    'select id, terms from knowledge_passage where id = any($1::bigint[])',
    [ids],
    { name: 'knowledge-passages-terms' },
  );
  return new Map(rows.map(({ id, terms }) => [Number(id), terms.split(' ')]));
}

/** One passage of a document, as it was cut. */
export interface CutOut {
  ordinal: number;
  text: string;
  page: number | null;
  heading: string | null;
  tokens: number;
}

/** Where a passage stands: a document that was replaced has others at the same places. */
export interface PassagePlace {
  documentId: string;
  revision: number;
  /** From 1. */
  place: number;
}

/** Which of the passages are still there, in their order. */
export async function passagesThere(db: Queryable, places: readonly PassagePlace[]): Promise<boolean[]> {
  if (places.length === 0) return [];
  const rows = await db.query<{ there: boolean }>(
    `select p.id is not null as there
       from unnest($1::text[], $2::int[], $3::int[]) with ordinality as asked(document_id, revision, place, at)
       left join knowledge_passage p on p.document_id = asked.document_id and p.revision = asked.revision
            and p.ordinal = asked.place - 1 and p.live
      order by asked.at`,
    [
      places.map(({ documentId }) => documentId),
      places.map(({ revision }) => revision),
      places.map(({ place }) => place),
    ],
  );
  return rows.map(({ there }) => there);
}

/** What is searched of a document, from the place after `ordinal` on. */
export function passagesOfDocument(
  db: Queryable,
  documentId: string,
  ordinal: number,
  limit: number,
): Promise<CutOut[]> {
  return db.query<CutOut>(
    `select ordinal, text, page, heading, tokens from knowledge_passage
      where document_id = $1 and live and ordinal > $2 order by ordinal limit $3`,
    [documentId, ordinal, limit],
  );
}
