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

type ArchivedCounters = Parameters<typeof createLedger>[0]['archivedCounters'];

export function keepBooks(db: Database, clock?: TestClock, archivedCounters?: ArchivedCounters): Promise<Bookkeeping> {
  return keepBooksAt(mkdtempSync(join(tmpdir(), 'dargah-books-')), db, clock, archivedCounters);
}

export async function keepBooksAt(
  folder: string,
  db: Database,
  clock = testClock(),
  archivedCounters?: ArchivedCounters,
): Promise<Bookkeeping> {
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
  const books = createLedger({ db, clock, archivedCounters });
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

/** As if every day before this moment were sealed: retention drops no other. */
export async function sealedUntil(db: Database, ms: number): Promise<void> {
  await db.query(
    `insert into ledger_clock (open_from, sealed_to, unsealed_at, unsealed_id, chain_key)
     values (home_day($1), home_day($1) - 1, $1, '', '') on conflict (only_row) do update
     set open_from = excluded.open_from, sealed_to = excluded.sealed_to, unsealed_at = excluded.unsealed_at`,
    [new Date(ms)],
  );
}

/** Empties every table of the books; the append-only guard steps aside for the test's own clean slate. */
export async function emptyBooks(db: Database): Promise<void> {
  await db.query(`
    alter table ledger_transfer disable trigger all;
    truncate probe_cost, ledger_account, ledger_transfer, spend_counter, spend_carried, request_log, request_log_horizon, usage_daily,
      ledger_clock, late_request, ledger_day, ledger_balance, money_day, money_model_day, money_account_day, spend_sealed, cost_correction,
      cost_corrected, cost_correction_part, ledger_seal, seal_progress, walk_day,
      walk_balance, walk_money, walk_spend, proof_run;
    update cost_clock set waste_from = '-infinity';
    update proof_state set proved_at = null, proved_to = null, run_id = null, failing = '[]', tries = 0, tried_at = null,
      reason = null, light_at = null;
    alter table ledger_transfer enable trigger all`);
}
