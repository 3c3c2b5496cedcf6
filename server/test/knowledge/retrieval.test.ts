/** The evaluation of `npm run eval:retrieval` as a test: quality that was reached must not be lost. @tier services */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASES, evaluate, fillBase, openSearch, readPairs } from '../../../bench/retrieval/evaluate.ts';
import { bm25Search, normalisedWords } from '../../../bench/retrieval/reference.ts';
import type { Search } from '../../src/knowledge/retrieve/search.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { recordedLog } from '../services/silent-log.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const pairs = { persian: readPairs('persian', root), english: readPairs('english', root) };
let database: TemporaryDatabase;
let search: Search;

beforeAll(async () => {
  database = await openTemporaryDatabase();
  for (const [name, kind] of Object.entries(BASES))
    await fillBase(database.db, name, kind, [...pairs.persian, ...pairs.english]);
  search = await openSearch(database.db, recordedLog());
}, 120_000);
afterAll(() => database.remove());

describe.each(['persian', 'english'] as const)('%s questions', (language) => {
  it('are at least sixty, each with its own passage', () => {
    const asked = pairs[language].filter(({ question }) => question !== '');
    expect(asked.length).toBeGreaterThanOrEqual(60);
    expect(new Set(asked.map(({ passage }) => passage)).size).toBe(asked.length);
  });

  // The sandbox's vectors know letters, not meaning: they may cost a little, and real ones are what hybrid is for.
  it.each([
    ['lexical', 0.85],
    ['hybrid', 0.8],
  ])('find their passage among the first three (%s)', async (base, least) => {
    const { score, misses } = await evaluate(search, base, pairs[language]);
    console.info(language, base, score);
    expect(score.hitAt3, misses.join('\n')).toBeGreaterThanOrEqual(least);
  });

  it.each([
    ['lexical', true],
    ['lexical, no headings', false],
  ])('stand first as often as textbook BM25 over all passages puts them there (%s)', async (base, headings) => {
    const texts = [...pairs.persian, ...pairs.english].map(({ passage, heading }) =>
      headings ? { text: passage, heading } : { text: passage },
    );
    const reference = await evaluate(bm25Search(texts), '', pairs[language]);
    const { score, misses } = await evaluate(search, base, pairs[language]);
    expect(score.hitAt1, misses.join('\n')).toBeGreaterThanOrEqual(reference.score.hitAt1);
  });

  // Bare sentences, half of which share no word with their question: what words alone cannot do is measured too.
  it.each(['lexical, no headings', 'hybrid, no headings'])('are found by words they share (%s)', async (base) => {
    const { score } = await evaluate(search, base, pairs[language]);
    console.info(language, base, score);
    expect(score.hitAt3).toBeGreaterThanOrEqual(0.4);
  });
});

describe('Persian in all its spellings', () => {
  const spelled = readPairs('persian-spellings', root);
  it.each([true, false])(
    'is found at the first place at least as often as by BM25 (headings: %s)',
    async (headings) => {
      const base = `spellings ${headings}`;
      await fillBase(database.db, base, { embeddingModel: null, headings }, spelled);
      const texts = spelled.map(({ passage, heading }) => (headings ? { text: passage, heading } : { text: passage }));
      const { score, misses } = await evaluate(search, base, spelled);
      expect(score.questions).toBeGreaterThanOrEqual(60);
      for (const words of [undefined, normalisedWords]) {
        const reference = await evaluate(bm25Search(texts, words), '', spelled);
        expect(score.hitAt1, misses.join('\n')).toBeGreaterThanOrEqual(reference.score.hitAt1);
      }
    },
  );
});
