/**
 * Proves the books from the first row on, in one snapshot. This suits books that are small or that nobody waits for, as
 * when they move to another database. The running service proves by seals instead (proof/run.ts); both use the same
 * checks.
 */

import type { Database } from '../platform/db/database.ts';
import { ROWS_IN_BOOKS } from './book-rows.ts';
import type { AuditReport } from './ledger.ts';
import { CHECKS } from './proof/checks-sql.ts';
import { ALL_ROWS } from './proof/rows-to-read-sql.ts';
import { askChecks } from './proof/statement-checks.ts';

export async function auditBooks(db: Database): Promise<AuditReport> {
  return db.report(
    async (tx) => {
      const totals = await ROWS_IN_BOOKS.first(tx);
      const results = await askChecks(tx, CHECKS, ALL_ROWS);
      const checks = results.map(({ id, name, result, detail }) => ({ id, name, ok: result !== 'failed', detail }));
      const seen = `${totals?.transfers ?? 0n} transfers, ${totals?.requests ?? 0n} requests`;
      checks.push({ id: 'books-read', name: 'books read', ok: true, detail: seen });
      return { ok: checks.every((check) => check.ok), checks };
    },
    { for: 'job', snapshot: true },
  );
}
