import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { recoverJournal } from '../../ledger/index.ts';

/** Charges that are only in the journal would be missing from a copy of the database. */
export async function journalIsEmpty(dataDir: string): Promise<boolean> {
  const folder = join(dataDir, 'journal');
  const exists = await access(folder).then(
    () => true,
    () => false,
  );
  return !exists || (await recoverJournal(folder)).records.length === 0;
}
