/** What knowledge costs, in things that can be counted: pages read by a search, threads started by short documents. @process own */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSearch } from '../../../bench/retrieval/evaluate.ts';
import { fillScale } from '../../../bench/retrieval/scale.ts';
import { stemEnglish } from '../../src/knowledge/language/english-stem.ts';
import { createDocumentReader } from '../../src/knowledge/reading/reader.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { tendTables } from '../../src/platform/db/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { recordedLog } from '../services/silent-log.ts';

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
  return {
    ...db,
    query: (text, values = [], options) => {
      asked.push({ text, values });
      return db.query(text, values, options);
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
    [text = ''] = await fillScale(db, 400);
    await tendTables(db);
    const alone = await searchPages();
    // Through the index that all bases share it was two thousand.
    expect(alone).toBeLessThan(200);
    await fillScale(db, 600, 'beside');
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
