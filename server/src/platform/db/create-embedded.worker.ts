/**
 * Creates the files of an embedded database, in a process of its own: the one-time set-up takes several hundred MB, which a
 * thread would leave with the server's allocator for as long as it runs.
 *   node create-embedded.worker.js <folder>
 */
import { setFlagsFromString } from 'node:v8';
import { openEngine } from './embedded-engine.ts';

const [databaseDir] = process.argv.slice(2);
if (databaseDir === undefined) throw new Error('no folder was named');
// Code that runs once is not worth optimising.
setFlagsFromString('--liftoff-only');
const db = await openEngine(databaseDir);
await db.close();
