/** What knowledge costs, in things that can be counted: pages read by a search, statements and threads of short documents. @process own @tier services */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSearch } from '../../../bench/retrieval/evaluate.ts';
import { fillScale } from '../../../bench/retrieval/scale.ts';
import { systemClock } from '../../src/core/clock.ts';
import { startKnowledge } from '../../src/knowledge/index.ts';
import { stemEnglish } from '../../src/knowledge/language/words.ts';
import { createDocumentReader } from '../../src/knowledge/reading/reader.ts';
import { createBackground } from '../../src/platform/background.ts';
import type { Database, Queryable } from '../../src/platform/db/index.ts';
import { QueueWatch, tendTables } from '../../src/platform/db/index.ts';
import { amount } from '../harness/long.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { plentyOfMemory } from '../services/memory.ts';
import { recordedLog } from '../services/silent-log.ts';
import { textDocument } from './knowledge-replica.ts';

let database: TemporaryDatabase;

beforeAll(async () => {
  database = await openTemporaryDatabase();
}, 120_000);
afterAll(() => database.remove());

interface Asked {
  text: string;
  values: readonly unknown[];
}

/** Notes what is asked of the database. */
function noting(db: Database, asked: Asked[]): Database {
  const note = (on: Queryable): Queryable['query'] => {
    return (text, values = [], options) => {
      asked.push({ text, values });
      return on.query(text, values, options);
    };
  };
  return {
    ...db,
    query: note(db),
    transaction: (work) => {
      asked.push({ text: 'begin', values: [] });
      return db.transaction((tx) => work({ query: note(tx) }));
    },
  };
}

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

async function pagesRead(db: Database, { text, values }: Asked): Promise<number> {
  const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, buffers, format json) ${text}`,
    values,
  );
  const plan = row?.['QUERY PLAN'][0].Plan;
  return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
}

describe('a search among several hundred passages of many documents', () => {
  let text = '';
  const searchPages = async (): Promise<number> => {
    const { db } = database;
    const asked: Asked[] = [];
    const search = await openSearch(noting(db, asked), recordedLog());
    asked.length = 0;
    const question = text.split(' ').slice(0, 7).join(' ');
    const [best] = await search({ baseIds: ['scale'], question, limit: 5 });
    expect(best?.text).toBe(text);
    // The base, the postings of its words, and the texts that are shown.
    expect(asked).toHaveLength(3);
    let pages = 0;
    for (const statement of asked) pages += await pagesRead(db, statement);
    return pages;
  };

  it('reads the pages of its own words, whatever stands in other bases', { timeout: 120_000 }, async () => {
    const { db } = database;
    [text = ''] = await fillScale(db, amount(200, 400));
    await tendTables(db);
    const alone = await searchPages();
    // Through the index that all bases share it was two thousand.
    expect(alone).toBeLessThan(200);
    await fillScale(db, amount(300, 600), 'beside');
    await tendTables(db);
    // An index of more rows may be a level deeper; nothing else grows.
    expect(await searchPages()).toBeLessThan(alone * 1.5);
  });

  it('finds no list of new entries in any index, which it would have to read from end to end', async () => {
    const lists = await database.db.query(
      `select c.relname from pg_class c join pg_am a on a.oid = c.relam
        where a.amname = 'gin' and not coalesce(c.reloptions @> '{fastupdate=off}', false)`,
    );
    expect(lists).toEqual([]);
  });
});

describe('upkeep of the embedded database', () => {
  it('counts rows anew and clears dead ones, where enough changed, and then rests', async () => {
    const { db } = database;
    await db.query('create table upkeep as select n from generate_series(1, 1000) n');
    await db.query('update upkeep set n = n + 1');
    expect(await tendTables(db)).toContain('public.upkeep');
    const [row] = await db.query<{ reltuples: number }>(
      `select reltuples::float8 as reltuples from pg_class where relname = 'upkeep'`,
    );
    expect(row?.reltuples).toBe(1_000);
    expect(await tendTables(db)).not.toContain('public.upkeep');
  });
});

describe('a short text', () => {
  it('is read without a thread or a process of its own', async () => {
    const started: unknown[] = [];
    const note = (worker: unknown) => started.push(worker);
    process.on('worker', note);
    try {
      const read = createDocumentReader();
      const blocks = await read({
        bytes: Buffer.from('# Leave\n\nTwenty-six days.'),
        name: 'a.md',
        mediaType: undefined,
      });
      expect(blocks).toHaveLength(2);
      expect(started).toEqual([]);
    } finally {
      process.off('worker', note);
    }
  });
});

describe('a new short text', () => {
  const REACH = { accountId: 'evaluation', baseIds: null };

  /** Nobody takes from the queue: what is ready was made so by whoever took the document. */
  async function serviceWithoutQueue(asked: Asked[]) {
    const { db } = database;
    await db.query(`insert into account (id, name, rules, calendar, created_at, updated_at)
      values ('evaluation', 'Evaluation', '{}', '{}', now(), now()) on conflict do nothing`);
    const log = recordedLog();
    const background = createBackground(log);
    const { service } = await startKnowledge({
      db: noting(db, asked),
      clock: systemClock,
      randomBytes,
      background,
      queues: new QueueWatch({ db, clock: systemClock, background }),
      log,
      limits: { bases: 9, documents: 9, documentBytes: 1e6, totalBytes: 1e6, contextTokens: 1000, parallelReading: 1 },
      memory: plentyOfMemory(),
      embedder: { embed: () => Promise.reject(new Error('nothing is embedded here')) },
      fetchAddress: () => Promise.reject(new Error('nothing is fetched here')),
      checkEmbeddingModel: () => undefined,
    });
    return service;
  }

  it('is searchable with the answer, after one transaction of four statements', async () => {
    const asked: Asked[] = [];
    const service = await serviceWithoutQueue(asked);
    const { id } = await service.createBase(REACH, { name: 'Short', embeddingModel: null });
    asked.length = 0;
    const { document, changed } = await service.addDocument(REACH, id, textDocument('a.txt', 'Tea is served at four.'));
    expect(asked).toHaveLength(5);
    expect(asked[0]?.text).toBe('begin');
    expect(changed).toBe(true);
    // What is answered was not read again, and is what stands there.
    expect(await service.getDocument(REACH, id, document.id)).toEqual(document);
    expect(document).toMatchObject({ state: 'ready', progress: 100, passages: 1, revision: 1 });
    expect((await service.search(REACH, id, 'tea', 5)).map(({ text }) => text)).toEqual(['Tea is served at four.']);
    expect(await database.db.query('select 1 from knowledge_job')).toEqual([]);
  });

  it('waits in the queue where vectors are to be made, or where it cannot be read', async () => {
    const service = await serviceWithoutQueue([]);
    const plain = await service.createBase(REACH, { name: 'Plain', embeddingModel: null });
    const vectors = await service.createBase(REACH, { name: 'Vectors', embeddingModel: 'any' });
    const blank = await service.addDocument(REACH, plain.id, textDocument('blank.txt', '  '));
    const embedded = await service.addDocument(REACH, vectors.id, textDocument('a.txt', 'Tea is served at four.'));
    for (const { document } of [blank, embedded]) {
      expect(document).toMatchObject({ state: 'queued', passages: 0 });
      expect(await service.getDocument(REACH, document.baseId, document.id)).toEqual(document);
    }
    const waiting = await database.db.query(
      `select j.document_id as id, convert_from(c.bytes, 'UTF8') as content
         from knowledge_job j join knowledge_content c using (document_id) order by j.seq`,
    );
    expect(waiting).toEqual([
      { id: blank.document.id, content: '  ' },
      { id: embedded.document.id, content: 'Tea is served at four.' },
    ]);
  });
});

describe('English stems', () => {
  it.each([
    ['stators', 'stator'],
    ['stating', 'state'],
    ['states', 'state'],
    ['statements', 'statement'],
    ['generically', 'generic'],
    ['hopping', 'hop'],
    ['hoping', 'hope'],
    ['skies', 'sky'],
  ])('%s is %s', (word, stem) => expect(stemEnglish(word)).toBe(stem));
});
