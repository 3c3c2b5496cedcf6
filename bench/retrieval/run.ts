/**
 * Prints hit@1, hit@3 and MRR; with `--scale [N]` how long a search takes among N passages (DATABASE_URL: PostgreSQL), with
 * `--beside M` while another base has M; with `--ingest [N] [--pages P]` what N short documents and a PDF of P pages cost; with `--spellings` the first for one set in many spellings, with
 * `--markdown FOLDER` for questions made of the headings of Markdown files.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../server/src/core/clock.ts';
import type { Search } from '../../server/src/knowledge/retrieve/search.ts';
import { type Database, migrate, openDatabase } from '../../server/src/platform/db/index.ts';
import { BASES, evaluate, fillBase, openSearch, readPairs, type Score } from './evaluate.ts';
import { measureIngest } from './ingest.ts';
import { headingsAsQuestions } from './markdown.ts';
import { bm25Search, normalisedWords } from './reference.ts';
import { measureScale } from './scale.ts';

function print(language: string, ranking: string, score: Score): void {
  const numbers = [score.hitAt1, score.hitAt3, score.meanReciprocalRank].map((value) => value.toFixed(3));
  console.log(`${language.padEnd(10)} ${ranking.padEnd(23)} ${numbers.join('  ')}`);
}

/** Persian in all its spellings, with headings and without, beside both yardsticks. */
async function printSpellings(db: Database, search: Search): Promise<void> {
  const pairs = readPairs('persian-spellings', root);
  for (const [name, headings] of Object.entries({ headings: true, 'no headings': false })) {
    await fillBase(db, `spellings, ${name}`, { embeddingModel: null, headings }, pairs);
    const texts = pairs.map(({ passage, heading }) => (headings ? { text: passage, heading } : { text: passage }));
    const found = await evaluate(search, `spellings, ${name}`, pairs);
    print('spellings', `lexical, ${name}`, found.score);
    print('spellings', `BM25, our words`, (await evaluate(bm25Search(texts), '', pairs)).score);
    print('spellings', `BM25, normalised words`, (await evaluate(bm25Search(texts, normalisedWords), '', pairs)).score);
    console.log(found.misses.join('\n'));
  }
}

function numberOf(option: string, otherwise: number): number {
  const at = options.indexOf(option);
  return at < 0 ? otherwise : Number(options[at + 1] ?? otherwise);
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const [root = '.', ...options] = process.argv.slice(2);
const dataDir = mkdtempSync(join(tmpdir(), 'dargah-retrieval-'));
const databaseUrl = process.env['DATABASE_URL'];
const db = await openDatabase({ databaseUrl, dataDir, log: silent, clock: systemClock });
try {
  await migrate(db, join(root, 'server/migrations'));
  await db.query(`delete from knowledge_base where account_id = 'evaluation'`);
  const search = await openSearch(db, silent);
  if (options.includes('--scale')) {
    console.log(await measureScale(db, search, numberOf('--scale', 100_000), numberOf('--beside', 0)));
  } else if (options.includes('--ingest')) {
    console.log(await measureIngest(db, silent, numberOf('--ingest', 300), numberOf('--pages', 300)));
  } else if (options.includes('--markdown')) {
    const pairs = headingsAsQuestions(options[options.indexOf('--markdown') + 1] ?? root);
    console.log(`${pairs.filter(({ question }) => question !== '').length} questions, ${pairs.length} passages`);
    await fillBase(db, 'markdown', { embeddingModel: null, headings: true }, pairs);
    const reference = bm25Search(pairs.map(({ passage, heading }) => ({ text: passage, heading })));
    print('markdown', 'lexical', (await evaluate(search, 'markdown', pairs)).score);
    print('markdown', 'plain BM25', (await evaluate(reference, '', pairs)).score);
  } else if (options.includes('--spellings')) {
    await printSpellings(db, search);
  } else {
    const pairs = { persian: readPairs('persian', root), english: readPairs('english', root) };
    console.log('questions  ranking                 hit@1  hit@3  MRR');
    for (const [name, kind] of Object.entries(BASES)) {
      await fillBase(db, name, kind, [...pairs.persian, ...pairs.english]);
      for (const language of ['persian', 'english'] as const) {
        print(language, name, (await evaluate(search, name, pairs[language])).score);
      }
    }
    for (const language of ['persian', 'english'] as const) {
      for (const [name, headings] of Object.entries({ 'plain BM25': true, 'plain BM25, no headings': false })) {
        const texts = [...pairs.persian, ...pairs.english].map(({ passage, heading }) =>
          headings ? { text: passage, heading } : { text: passage },
        );
        print(language, name, (await evaluate(bm25Search(texts), '', pairs[language])).score);
      }
    }
  }
} finally {
  await db.close();
  rmSync(dataDir, { recursive: true, force: true });
}
