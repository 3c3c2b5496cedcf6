/** Prints hit@1, hit@3 and MRR; with `--scale` also how long a search takes among 100,000 passages (DATABASE_URL: PostgreSQL). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../server/src/core/clock.ts';
import { migrate, openDatabase } from '../../server/src/platform/db/index.ts';
import { BASES, evaluate, fillBase, openSearch, readPairs } from './evaluate.ts';
import { measureScale } from './scale.ts';

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
    console.log(await measureScale(db, search, 100_000));
  } else {
    const pairs = { persian: readPairs('persian', root), english: readPairs('english', root) };
    console.log('questions  ranking                 hit@1  hit@3  MRR');
    for (const [name, kind] of Object.entries(BASES)) {
      await fillBase(db, name, kind, [...pairs.persian, ...pairs.english]);
      for (const language of ['persian', 'english'] as const) {
        const { score } = await evaluate(search, name, pairs[language]);
        const numbers = [score.hitAt1, score.hitAt3, score.meanReciprocalRank].map((value) => value.toFixed(3));
        console.log(`${language.padEnd(10)} ${name.padEnd(23)} ${numbers.join('  ')}`);
      }
    }
  }
} finally {
  await db.close();
  rmSync(dataDir, { recursive: true, force: true });
}
