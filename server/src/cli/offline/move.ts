/**
 * Moves the embedded database to PostgreSQL: every table whole, in an order that references allow, then a proof of the
 * books on both sides. The old database is not changed, so nothing is lost by starting over.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnvironment } from '../../config/index.ts';
import { systemClock } from '../../core/clock.ts';
import { createLedger, recoverJournal } from '../../ledger/index.ts';
import { checkSchema, type Database, migrate, openDatabase } from '../../platform/db/index.ts';
import { createLog } from '../../platform/telemetry/index.ts';
import { UsageError } from '../arguments.ts';
import { copyTables } from './copy-tables.ts';
import type { OfflineWorld } from './world.ts';

export async function moveToPostgres(target: string, { variables, print, complain }: OfflineWorld): Promise<number> {
  const { environment } = readEnvironment(variables);
  const { dataDir, databaseUrl } = environment;
  if (databaseUrl !== undefined)
    throw new UsageError('DATABASE_URL is set: there is no embedded database to move from');
  const { log } = createLog({ level: 'silent' });
  const terms = { dataDir, log, clock: systemClock };
  if (!(await journalIsEmpty(dataDir))) {
    complain('The journal still holds charges. Start the server once more and stop it cleanly, then move.');
    return 1;
  }
  const from = await openDatabase({ ...terms, databaseUrl: undefined, mustExist: true });
  try {
    await checkSchema(from);
    const to = await openDatabase({ ...terms, databaseUrl: target });
    try {
      // Both databases are checked before either is changed.
      await checkSchema(to);
      await migrate(from);
      await migrate(to);
      const copied = await copyTables(from, to, (line) => complain(line));
      print(`${copied.tables} tables, ${copied.rows} rows`);
      return await proveBoth(from, to, print);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function proveBoth(from: Database, to: Database, print: (text: string) => void): Promise<number> {
  const reports = [];
  for (const db of [from, to]) reports.push(await createLedger({ db, clock: systemClock }).audit());
  const [before, after] = reports.map((report) => JSON.stringify(report));
  for (const [place, report] of [
    ['embedded', reports[0]],
    ['PostgreSQL', reports[1]],
  ] as const)
    print(`${place}: ${report?.ok ? 'the books balance' : 'THE BOOKS DO NOT BALANCE'}`);
  if (before !== after)
    print('THE TWO PROOFS DIFFER: stay with the embedded database, and move into an empty one again');
  else if (!reports.every((report) => report.ok)) print('both proofs are the same, and wrong: mend the books first');
  else {
    print('both proofs are the same; set DATABASE_URL, copy master.key or set DARGAH_MASTER_KEY, and start');
    return 0;
  }
  return 1;
}

/** Charges that are only in the journal would be missing from a copy of the database. */
async function journalIsEmpty(dataDir: string): Promise<boolean> {
  const folder = join(dataDir, 'journal');
  const exists = await access(folder).then(
    () => true,
    () => false,
  );
  return !exists || (await recoverJournal(folder)).records.length === 0;
}
