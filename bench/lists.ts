/**
 * How long each filter of each list takes. Bundled and run by lists.mjs as a process of its own.
 *   argv: <sizes as JSON> <database url>
 */
import { systemClock } from '../server/src/core/clock.ts';
import { migrate, openDatabase } from '../server/src/platform/db/index.ts';
import { everyLook } from '../server/test/lists/every-filter.ts';
import { type ListSizes, seedLists } from '../server/test/lists/seed-lists.ts';

const [sizes = '{}', databaseUrl = ''] = process.argv.slice(2);
const TIMES = 5;
const quiet = () => undefined;
const log = { info: quiet, warn: quiet, error: quiet, debug: quiet };

const db = await openDatabase({ databaseUrl, dataDir: '', log, clock: systemClock });
await migrate(db);
const now = systemClock.now();
await seedLists(db, now, JSON.parse(sizes) as ListSizes);
const seedMs = systemClock.now() - now;

const looks = [];
for (const { name, indexed, ask } of everyLook({ db, clock: systemClock }, now)) {
  const times: number[] = [];
  let answer = await ask();
  for (let n = 0; n < TIMES; n++) {
    const began = systemClock.monotonicMs();
    answer = await ask();
    times.push(Math.round(systemClock.monotonicMs() - began));
  }
  times.sort((a, b) => a - b);
  const back = answer.searchedBackTo;
  const backTo = back === null ? null : new Date(back).toISOString();
  looks.push({ name, indexed, p50: times[TIMES >> 1], worst: times.at(-1), rows: answer.rows.length, backTo });
}
await db.close();
process.stdout.write(JSON.stringify({ looks, seedMs }));
