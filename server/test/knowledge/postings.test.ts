/** Postings of a base: exact for what is there, without what is gone, and brought up to what a replica of 0.1.0 published. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fillBase, openSearch, type Pair } from '../../../bench/retrieval/evaluate.ts';
import { indexNextBase } from '../../src/knowledge/ingest/index-bases.ts';
import type { Search } from '../../src/knowledge/retrieve/search.ts';
import { newDocument } from '../../src/knowledge/store/document-rows.ts';
import type { Job } from '../../src/knowledge/store/job-rows.ts';
import { publishPassages, removeDocument } from '../../src/knowledge/store/passage-rows.ts';
import { eachPosting, writePosting } from '../../src/knowledge/store/posting-format.ts';
import { lockBase } from '../../src/knowledge/store/posting-rows.ts';
import { publishNewDocument } from '../../src/knowledge/store/publish-new.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { recordedLog } from '../services/silent-log.ts';

let database: TemporaryDatabase;
let db: Database;
let search: Search;
let base = '';
let bases = 0;

beforeAll(async () => {
  database = await openTemporaryDatabase();
  db = database.db;
  search = await openSearch(db, recordedLog());
}, 120_000);
afterAll(() => database.remove());

const passages = ['Tea is served at four.', 'Coffee is served at nine.', 'Installations are inspected in spring.'];
beforeEach(async () => {
  base = `postings-${bases++}`;
  const pairs = passages.map((passage): Pair => ({ question: '', heading: '', passage }));
  await fillBase(db, base, { embeddingModel: null, headings: false }, pairs);
});

const ask = async (question: string) => (await search({ baseIds: [base], question, limit: 5 })).map(({ text }) => text);
const isIndexed = async () => {
  const [row] = await db.query<{ indexed: boolean }>(
    'select indexed_version is not distinct from version as indexed from knowledge_base where id = $1',
    [base],
  );
  return row?.indexed;
};
const jobOf = (documentId: string, revision: number): Job => ({
  documentId,
  baseId: base,
  accountId: 'evaluation',
  embeddingModel: null,
  name: '',
  url: null,
  mediaType: null,
  bytes: 0,
  revision,
  drafted: false,
  attempts: 1,
});
const replace = (documentId: string, revision: number, text: string) =>
  db.transaction(async (tx) => {
    await tx.query('update knowledge_document set revision = $2 where id = $1', [documentId, revision]);
    await publishPassages(tx, jobOf(documentId, revision), [{ text, tokens: 9 }]);
  });

/** As if the base were from before there were postings. */
async function forgetIndex(): Promise<void> {
  await db.query('delete from knowledge_posting where base_id = $1', [base]);
  await db.query('update knowledge_document set indexed_revision = null where base_id = $1', [base]);
  await db.query(
    'update knowledge_base set indexed_version = null, indexed_passages = 0, indexed_words = 0 where id = $1',
    [base],
  );
}

/** What 0.1.0 does when it publishes: it knows nothing of postings. */
const publishAsBefore = (documentId: string, text: string, words: string) =>
  db.transaction(async (tx) => {
    await tx.query('update knowledge_base set version = version + 1 where id = $1', [base]);
    await tx.query('update knowledge_document set revision = 2 where id = $1', [documentId]);
    await tx.query('delete from knowledge_passage where document_id = $1', [documentId]);
    await tx.query(
      `insert into knowledge_passage (base_id, document_id, revision, ordinal, live, text, tokens, terms, words)
       values ($1, $2, 2, 0, true, $3, 9, $4, array_to_tsvector(string_to_array($4, ' ')))`,
      [base, documentId, text, words],
    );
    await tx.query(
      `insert into knowledge_word (base_id, word, passages) select $1, unnest(string_to_array($2, ' ')), 1
       on conflict (base_id, word) do update set passages = knowledge_word.passages + 1`,
      [base, words],
    );
  });

describe('postings', () => {
  it('hold ids beyond four bytes, and bound what is counted', () => {
    const bytes = Buffer.alloc(16);
    writePosting(bytes, 0, 2 ** 32 + 7, 3, 200);
    writePosting(bytes, 8, 2 ** 39, 1_000, 100_000);
    const seen: number[][] = [];
    eachPosting(bytes, (...posting) => seen.push(posting));
    expect(seen).toEqual([
      [2 ** 32 + 7, 3, 200],
      [2 ** 39, 255, 65_535],
    ]);
  });

  it('find by look-alikes only what no passage says as it was asked', async () => {
    expect(await ask('tea')).toEqual(['Tea is served at four.']);
    expect(await ask('instalation inspektion')).toEqual(['Installations are inspected in spring.']);
  });

  it('forget what was replaced and what was removed', async () => {
    await replace(`${base}-0`, 2, 'Cocoa is served at ten.');
    expect(await ask('tea')).toEqual([]);
    expect(await ask('cocoa')).toEqual(['Cocoa is served at ten.']);
    await db.transaction((tx) => removeDocument(tx, base, `${base}-1`));
    expect(await ask('served')).toEqual(['Cocoa is served at ten.']);
    expect(await isIndexed()).toBe(true);
  });

  it('are made anew when most of them tell of passages that are gone', async () => {
    for (let revision = 2; revision < 300; revision++) await replace(`${base}-0`, revision, `Cocoa number${revision}.`);
    const count = async () => {
      const [row] = await db.query<{ bytes: number; indexed: number }>(
        `select (select sum(octet_length(data))::int from knowledge_posting where base_id = $1 and word = 'cocoa') as bytes,
                indexed_passages::int as indexed from knowledge_base where id = $1`,
        [base],
      );
      return row;
    };
    expect((await count())?.bytes).toBe(298 * 8);
    // However many of the best are gone, what is there is found.
    expect(await ask('cocoa')).toEqual(['Cocoa number299.']);
    while (await indexNextBase(db));
    expect(await count()).toEqual({ bytes: 8, indexed: 3 });
    expect(await ask('cocoa')).toEqual(['Cocoa number299.']);
  });

  it('and counts of a text that was published at once are those that are made of its passages', async () => {
    // The first passage ends a row of postings, the second begins the next.
    await db.query('update knowledge_base set indexed_passages = 511 where id = $1', [base]);
    const content = {
      name: 'Hours',
      source: 'text' as const,
      url: null,
      mediaType: null,
      contentHash: null,
      content: null,
    };
    await db.transaction(async (tx) => {
      const first = (await lockBase(tx, base))?.indexedPassages ?? 0;
      await publishNewDocument(tx, newDocument(`${base}-new`, base, content, new Date()), first, [
        { text: 'Cocoa, cocoa and tea until ten.', tokens: 9 },
        { text: 'Cocoa again from four.', tokens: 9, heading: 'Evening', page: 2 },
      ]);
    });
    const postings = () =>
      db.query(
        `select word, string_agg(data, ''::bytea order by segment) as data from knowledge_posting where base_id = $1
          group by word order by word`,
        [base],
      );
    const segments = await db.query(
      `select segment from knowledge_posting where base_id = $1 and word = 'cocoa' order by segment`,
      [base],
    );
    expect(segments).toEqual([{ segment: 0 }, { segment: 1 }]);
    const counted = await db.query('select word, passages from knowledge_word where base_id = $1 order by word', [
      base,
    ]);
    const there = await db.query(
      `select word, count(*)::int as passages from knowledge_passage p, unnest(tsvector_to_array(p.words)) as word
        where p.base_id = $1 and p.live group by word order by word`,
      [base],
    );
    expect(counted).toEqual(there);
    expect(await isIndexed()).toBe(true);
    expect(await ask('cocoa')).toHaveLength(2);
    const atOnce = await postings();
    await forgetIndex();
    while (await indexNextBase(db));
    expect(await postings()).toEqual(atOnce);
  });

  it('are not believed while something is missing in them, and are completed', async () => {
    await publishAsBefore(`${base}-1`, 'Lemonade is served at noon.', 'lemonad serv noon');
    expect(await isIndexed()).toBe(false);
    expect(await ask('lemonade')).toEqual(['Lemonade is served at noon.']);
    // What this version publishes meanwhile does not make them whole.
    await replace(`${base}-0`, 2, 'Cocoa is served at ten.');
    expect(await isIndexed()).toBe(false);
    while (await indexNextBase(db));
    expect(await isIndexed()).toBe(true);
    expect(await ask('lemonade')).toEqual(['Lemonade is served at noon.']);
    expect(await ask('coffee tea')).toEqual([]);
  });

  it('are made for a base that has none, and go with their base', async () => {
    await forgetIndex();
    expect(await ask('tea')).toEqual(['Tea is served at four.']);
    while (await indexNextBase(db));
    expect(await isIndexed()).toBe(true);
    expect(await ask('tea')).toEqual(['Tea is served at four.']);
    await db.query('delete from knowledge_base where id = $1', [base]);
    expect(await db.query('select 1 from knowledge_posting where base_id = $1', [base])).toEqual([]);
  });
});
