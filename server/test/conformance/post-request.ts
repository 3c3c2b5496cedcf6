/** One charged request in the books, as the poster writes it. */
import type { Database } from '../../src/platform/db/index.ts';
import { keepBooks } from '../ledger/bookkeeping.ts';
import type { record } from '../ledger/request-fixture.ts';
import { START } from '../ledger/request-fixture.ts';

/** When requests of the fixture are; other entries of the same test should be then too. */
export const POSTED_AT = START;

export async function postRequest(db: Database, request: ReturnType<typeof record>): Promise<void> {
  const keeping = await keepBooks(db);
  await keeping.journal.close(request);
  await keeping.poster.postBatch();
  await keeping.close();
}
