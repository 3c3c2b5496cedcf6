/** Opens the embedded database in a process of its own and inserts for ever, telling what was acknowledged. */
import { systemClock } from '../../../src/core/clock.ts';
import { openDatabase } from '../../../src/platform/db/index.ts';
import { recordedLog } from '../../services/silent-log.ts';

const dataDir = process.argv[2] ?? '';
const db = await openDatabase({ databaseUrl: undefined, dataDir, log: recordedLog(), clock: systemClock });
await db.query('create table if not exists held (id integer primary key)');
process.send?.({ ready: true });
for (let id = 1; ; id++) {
  await db.query('insert into held values ($1)', [id]);
  process.send?.({ acknowledged: id });
}
