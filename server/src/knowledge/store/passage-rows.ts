/** Statements on passages, from draft to searchable, with the counts of their words. */
import { column, command, orNull, type Queryable, type RowOf, statement } from '../../platform/db/index.ts';
import { wordsOf } from '../language/words.ts';
import type { CutPassage } from '../passages/cut.ts';
import type { Job } from './job-rows.ts';
import { addPostings, changeBase, countsOf, lockBase, type PassageTerms, passageTermsRow } from './posting-rows.ts';

const ROWS_PER_INSERT = 500;

/** The words a passage is found by: its own, those of its headings and of its document's name. */
export function searchedText(passage: { text: string; heading?: string | null }, documentName: string): string {
  return `${documentName}\n${passage.heading ?? ''}\n${passage.text}`;
}

const DELETE_DRAFTS = command('delete from knowledge_passage where document_id = $1 and not live');

export async function insertDrafts(tx: Queryable, job: Job, passages: readonly CutPassage[]): Promise<void> {
  await DELETE_DRAFTS.run(tx, [job.documentId]);
  await insertPassages(tx, job, passages, false);
}

const INSERT_PASSAGES = statement(
  { id: column.bigint, ordinal: column.int },
  `insert into knowledge_passage (base_id, document_id, revision, live, ordinal, text, page, heading, tokens, terms, words)
   select $1, $2, $3, $10, r.ordinal, r.text, r.page, r.heading, r.tokens, r.terms, array_to_tsvector(string_to_array(r.terms, ' '))
     from unnest($4::int[], $5::text[], $6::int[], $7::text[], $8::int[], $9::text[]) as r(ordinal, text, page, heading, tokens, terms)
   returning id, ordinal`,
  { name: 'knowledge-passages-insert' },
);

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
    const rows = await INSERT_PASSAGES.rows(tx, [job.baseId, job.documentId, job.revision, ...columns, live]);
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

const draftRow = {
  id: column.bigint,
  text: column.text,
  heading: orNull(column.text),
};
export type DraftToEmbed = RowOf<typeof draftRow>;

const DRAFTS_WITHOUT_VECTOR = statement(
  draftRow,
  `select p.id, p.text, p.heading from knowledge_passage p left join knowledge_vector v on v.passage_id = p.id
    where p.document_id = $1 and p.revision = $2 and not p.live and v.passage_id is null order by p.ordinal limit $3`,
);

export function draftsWithoutVector(db: Queryable, job: Job, limit: number): Promise<DraftToEmbed[]> {
  return DRAFTS_WITHOUT_VECTOR.rows(db, [job.documentId, job.revision, limit]);
}

const COUNT_DRAFTS = statement(
  { count: column.float },
  'select count(*)::float8 as count from knowledge_passage where document_id = $1 and revision = $2 and not live',
);

export async function countDrafts(db: Queryable, job: Job): Promise<number> {
  const row = await COUNT_DRAFTS.first(db, [job.documentId, job.revision]);
  return row?.count ?? 0;
}

const DELETE_LIVE = statement(
  { id: column.bigint },
  'delete from knowledge_passage where document_id = $1 and live returning id',
);
const PUBLISH_DRAFTS = statement(
  passageTermsRow,
  'update knowledge_passage set live = true where document_id = $1 and revision = $2 returning id, terms',
);

/**
 * The instant of replacement: the old passages go, the drafts become searchable, the words are counted anew. The base's row
 * is locked first, so that two documents of a base never wait for each other's words.
 */
export async function publishDrafts(tx: Queryable, job: Job): Promise<void> {
  const { documentId, revision, baseId } = job;
  const base = await lockBase(tx, baseId);
  if (!base) return;
  await COUNT_CHANGED_WORDS.run(tx, [baseId, documentId, revision]);
  const gone = await DELETE_LIVE.rows(tx, [documentId]);
  const fresh = await PUBLISH_DRAFTS.rows(tx, [documentId, revision]);
  if (gone.length > 0) await DELETE_UNUSED_WORDS.run(tx, [baseId]);
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

const SHOW_READY = command(
  `with content as (delete from knowledge_content where document_id = $1)
   update knowledge_document set state = 'ready', progress = 100, reason = null, passages = $3, indexed_revision = $2, updated_at = now()
    where id = $1 and revision = $2`,
  { name: 'knowledge-document-ready' },
);

async function showReady(tx: Queryable, { documentId, revision }: Job, passages: number): Promise<void> {
  await SHOW_READY.run(tx, [documentId, revision, passages]);
}

const DELETE_DOCUMENT = command('delete from knowledge_document where id = $1');

export async function removeDocument(tx: Queryable, baseId: string, documentId: string): Promise<void> {
  await lockBase(tx, baseId);
  await changeBase(tx, baseId, -(await forgetPassages(tx, baseId, documentId)));
  await DELETE_DOCUMENT.run(tx, [documentId]);
}

const DELETE_PASSAGES = statement(
  { live: column.boolean },
  'delete from knowledge_passage where document_id = $1 returning live',
);

/** Deletes the live passages of a document and the counts of their words; returns how many passages there were. */
async function forgetPassages(tx: Queryable, baseId: string, documentId: string): Promise<number> {
  await COUNT_CHANGED_WORDS.run(tx, [baseId, documentId, -1]);
  const gone = await DELETE_PASSAGES.rows(tx, [documentId]);
  await DELETE_UNUSED_WORDS.run(tx, [baseId]);
  return gone.filter(({ live }) => live).length;
}

const ADD_TO_COUNTS = command(
  `insert into knowledge_word (base_id, word, passages) select $1, r.word, r.passages from unnest($2::text[], $3::int[]) as r(word, passages)
   on conflict (base_id, word) do update set passages = knowledge_word.passages + excluded.passages`,
  { name: 'knowledge-words-add' },
);

async function addToCounts(tx: Queryable, baseId: string, passages: readonly PassageTerms[]): Promise<void> {
  const counts = passagesOfWords(passages);
  if (counts.size === 0) return;
  await ADD_TO_COUNTS.run(tx, [baseId, [...counts.keys()], [...counts.values()]]);
}

/** For each word, how many of the passages contain it. */
export function passagesOfWords(passages: readonly PassageTerms[]): Map<string, number> {
  return countsOf(passages.flatMap(({ terms }) => (terms === '' ? [] : [...new Set(terms.split(' '))])));
}

/** Updates the word counts of a base: words of live passages are subtracted, words of the drafts of revision $3 are added. */
const COUNT_CHANGED_WORDS = command(
  `insert into knowledge_word (base_id, word, passages)
   select $1, c.word, sum(c.change)::int from (
     select unnest(tsvector_to_array(words)) as word, case when live then -1 else 1 end as change
       from knowledge_passage where document_id = $2 and (live or revision = $3)) c
    group by c.word having sum(c.change) <> 0
   on conflict (base_id, word) do update set passages = knowledge_word.passages + excluded.passages`,
);

const DELETE_UNUSED_WORDS = command('delete from knowledge_word where base_id = $1 and passages <= 0');

const foundRow = {
  id: column.bigint,
  baseId: column.text,
  documentId: column.text,
  documentName: column.text,
  documentUrl: orNull(column.text),
  revision: column.int,
  ordinal: column.int,
  text: column.text,
  page: orNull(column.int),
  heading: orNull(column.text),
  tokens: column.int,
};
export type FoundPassage = RowOf<typeof foundRow>;

/**
 * With its words in the order of the text, separated by blanks, after those of the document's name and of the headings.
 */
const withTermsRow = { ...foundRow, terms: column.text };
export type PassageWithTerms = RowOf<typeof withTermsRow>;

const PASSAGES = statement(
  withTermsRow,
  `select p.id, p.base_id as "baseId", p.document_id as "documentId", d.name as "documentName", d.url as "documentUrl",
          p.revision, p.ordinal, p.text, p.page, p.heading, p.tokens, p.terms
     from knowledge_passage p join knowledge_document d on d.id = p.document_id
    where p.live and p.id = any($1::bigint[])`,
  { name: 'knowledge-passages' },
);

export function selectPassages(db: Queryable, ids: readonly number[]): Promise<PassageWithTerms[]> {
  return PASSAGES.rows(db, [ids]);
}

const LIVE_PASSAGES = statement(
  { id: column.bigint },
  'select id from knowledge_passage where id = any($1::bigint[]) and live',
  { name: 'knowledge-passages-live' },
);

/** Which of them are searchable, in their order. */
export async function livePassages(db: Queryable, ids: readonly number[]): Promise<number[]> {
  const rows = await LIVE_PASSAGES.rows(db, [ids]);
  const live = new Set(rows.map(({ id }) => Number(id)));
  return ids.filter((id) => live.has(id));
}

const TERMS_OF_PASSAGES = statement(
  passageTermsRow,
  'select id, terms from knowledge_passage where id = any($1::bigint[])',
  { name: 'knowledge-passages-terms' },
);

/** The words of each, in the order of the text. */
export async function termsOfPassages(db: Queryable, ids: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await TERMS_OF_PASSAGES.rows(db, [ids]);
  return new Map(rows.map(({ id, terms }) => [Number(id), terms.split(' ')]));
}

/** One passage of a document, as it was cut. */
const cutOutRow = {
  ordinal: column.int,
  text: column.text,
  page: orNull(column.int),
  heading: orNull(column.text),
  tokens: column.int,
};
export type CutOut = RowOf<typeof cutOutRow>;

/** The position of a passage: a document that was replaced has others at the same positions. */
export interface PassagePlace {
  documentId: string;
  revision: number;
  /** From 1. */
  place: number;
}

const PASSAGES_THERE = statement(
  { there: column.boolean },
  `select p.id is not null as there
     from unnest($1::text[], $2::int[], $3::int[]) with ordinality as asked(document_id, revision, place, at)
     left join knowledge_passage p on p.document_id = asked.document_id and p.revision = asked.revision
          and p.ordinal = asked.place - 1 and p.live
    order by asked.at`,
);

/** Which of the passages still exist, in their order. */
export async function passagesThere(db: Queryable, places: readonly PassagePlace[]): Promise<boolean[]> {
  if (places.length === 0) return [];
  const rows = await PASSAGES_THERE.rows(db, [
    places.map(({ documentId }) => documentId),
    places.map(({ revision }) => revision),
    places.map(({ place }) => place),
  ]);
  return rows.map(({ there }) => there);
}

const PASSAGES_OF_DOCUMENT = statement(
  cutOutRow,
  `select ordinal, text, page, heading, tokens from knowledge_passage
    where document_id = $1 and live and ordinal > $2 order by ordinal limit $3`,
);

/** The searchable passages of a document, after `ordinal`. */
export function passagesOfDocument(
  db: Queryable,
  documentId: string,
  ordinal: number,
  limit: number,
): Promise<CutOut[]> {
  return PASSAGES_OF_DOCUMENT.rows(db, [documentId, ordinal, limit]);
}
