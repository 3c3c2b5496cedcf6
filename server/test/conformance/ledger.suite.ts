/** What the books must do on every database. */
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import type { Database } from '../../src/platform/db/index.ts';
import { type Bookkeeping, emptyBooks, keepBooks } from '../ledger/bookkeeping.ts';
import type { DatabaseUnderTest } from './database.suite.ts';
import { requestLog } from './ledger-log.ts';
import { posting, proofs } from './ledger-posting.ts';
import { transfers } from './ledger-transfers.ts';

export function ledgerSuite(name: string, open: () => Promise<DatabaseUnderTest>): void {
  describe(`ledger conformance: ${name}`, () => {
    let subject: DatabaseUnderTest;
    let db: Database;
    let desk: Bookkeeping;
    beforeAll(async () => {
      subject = await open();
      db = subject.db;
    });
    afterAll(() => subject.close());
    beforeEach(async () => {
      await emptyBooks(db);
      desk = await keepBooks(db);
    });
    // Whatever a test did, the books must balance at its end.
    afterEach(async () => {
      await desk.prove();
      await desk.close();
    });

    describe('transfers', () => transfers(() => ({ db, desk })));
    describe('posting', () => posting(() => ({ db, desk })));
    describe('proofs', () => proofs(() => ({ db, desk })));
    describe('request log', () => requestLog(() => ({ db, desk })));
  });
}
