/** Journal, poster and books over one database, for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostedUpdate } from '../../src/admission/index.ts';
import { type Books, createLedger, type FileJournal, openJournal, Poster } from '../../src/ledger/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { createRequestLog, type RequestLog } from '../../src/requestlog/index.ts';
import { describeAudit } from './describe-audit.ts';
import { type TestClock, type TestLog, testClock, testLog } from './request-fixture.ts';

export interface Bookkeeping {
  clock: TestClock;
  log: TestLog;
  folder: string;
  journal: FileJournal;
  poster: Poster;
  books: Books;
  requests: RequestLog;
  /** Everything admission was told. */
  updates: PostedUpdate[];
  /** Throws the report when the books do not balance. */
  prove(): Promise<void>;
  close(): Promise<void>;
}

export function keepBooks(db: Database): Promise<Bookkeeping> {
  return keepBooksAt(mkdtempSync(join(tmpdir(), 'dargah-books-')), db);
}

export async function keepBooksAt(folder: string, db: Database): Promise<Bookkeeping> {
  const clock = testClock();
  const log = testLog();
  const journal = await openJournal({ folder, clock, log });
  const updates: PostedUpdate[] = [];
  const poster = new Poster({
    db,
    journal,
    log,
    admission: { posted: (news) => updates.push(...news) },
    firstRetryMs: 5,
  });
  const books = createLedger({ db, clock });
  return {
    clock,
    log,
    folder,
    journal,
    poster,
    books,
    updates,
    requests: createRequestLog({ db, recent: journal }),
    async prove() {
      const report = await books.audit();
      if (!report.ok) throw new Error(describeAudit(report));
    },
    async close() {
      // A statement still on its way would post into the books of the next test.
      await poster.drain(2_000);
      await journal.shutdown();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Empties every table of the books; the append-only guard steps aside for the test's own clean slate. */
export async function emptyBooks(db: Database): Promise<void> {
  await db.query(`
    alter table ledger_transfer disable trigger all;
    truncate ledger_account, ledger_transfer, spend_counter, spend_carried, request_log, request_log_horizon, usage_daily;
    alter table ledger_transfer enable trigger all`);
}
