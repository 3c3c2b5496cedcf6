/** The books in the database: wallets, top-ups, corrections, refunds, history and proof. */

import { bookOfLine } from '@dargah/core/chart.ts';
import type { LoadPosted } from '../admission/index.ts';
import type { Clock } from '../core/clock.ts';
import { invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { type Money, money, ZERO } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import { walletBudget } from '../keys/index.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import { auditBooks } from './audit.ts';
import { bookLines, givenBackOf, isBooked } from './booking.ts';
import { readStoredDocument, type StoredDocument } from './documents.ts';
import type {
  AuditReport,
  BookedTransfer,
  BookLine,
  ManualTransfer,
  NewDocument,
  Transfer,
  TransferFilter,
  WalletView,
} from './ledger.ts';
import * as sql from './ledger-sql.ts';
import { doersOf, type TransferDoer, transfersOfBooks } from './transfer-list.ts';

/** The book against the wallet, where an entry does not name one. */
const AGAINST: Record<ManualTransfer['kind'], string> = {
  // Money without a document; accounting adds one later.
  'top-up': 'undocumented',
  adjustment: 'corrections',
  refund: 'revenue',
  opening: 'opening',
  gift: 'promotions',
};

/** One line of the trial balance: all wallets and all providers are one book each. */
export interface BookBalance {
  book: string;
  accounts: number;
  debit: Money;
  credit: Money;
}

export interface Books {
  /**
   * Idempotent by `id`. `alongside` runs in the same transaction, and only when the transfer is new; it writes the
   * audit log entry of the person who gave the credit.
   */
  transfer(entry: ManualTransfer, alongside?: (tx: Queryable) => Promise<void>): Promise<WalletView>;
  /**
   * Books all lines of one event, or none: top-ups with their tax, refunds, settlements, bills. Idempotent by the first line's id.
   * `alongside` is as in `transfer`. False when it was booked before.
   */
  book(document: NewDocument, alongside?: (tx: Queryable) => Promise<void>): Promise<boolean>;
  /** The same in the caller's transaction. */
  bookIn(tx: Queryable, document: NewDocument): Promise<boolean>;
  /** Whether exactly this transfer was booked; a different one under its id is a conflict. */
  isBooked(entry: ManualTransfer): Promise<boolean>;
  /** A document and its lines. */
  document(id: string): Promise<StoredDocument>;
  wallet(accountId: string): Promise<WalletView>;
  /** The transfers of one account, newest first; `before` is the `next` of the page before. */
  history(
    accountId: string,
    page: { before?: string; limit: number },
  ): Promise<{ entries: Transfer[]; next: string | null }>;
  /** All transfers of the books, newest first; `before` is the `next` of the page before. */
  transfers(
    filter: TransferFilter,
    page: { before?: string; limit: number },
  ): Promise<{ entries: BookedTransfer[]; next: string | null }>;
  /** Who made them, by transfer id; transfers without a maker are missing. */
  doersOf(transfers: readonly BookedTransfer[]): Promise<Map<string, TransferDoer>>;
  audit(): Promise<AuditReport>;
  /** The balance of every book; over all books debits equal credits. */
  trialBalance(): Promise<BookBalance[]>;
  /** For admission: what is posted against each budget. */
  loadPosted: LoadPosted;
}

export interface LedgerOptions {
  db: Database;
  clock: Clock;
  /** The spend counters of a request that only the archive of the log has; undefined while the log has it. */
  archivedCounters?: ((requestId: string) => Promise<readonly string[] | undefined>) | undefined;
}

export function createLedger({ db, clock, archivedCounters }: LedgerOptions): Books {
  /** The archive is another server, so it is never asked while a transaction holds locks. */
  const archivedOf = async (lines: readonly BookLine[]) => {
    if (!archivedCounters) return undefined;
    const found = new Map<string, readonly string[]>();
    for (const id of lines.flatMap((line) => givenBackOf(line) ?? [])) {
      const counters = await archivedCounters(id);
      if (counters) found.set(id, counters);
    }
    return found;
  };
  return {
    async transfer(entry, alongside) {
      check(entry);
      // A constraint of the table refuses a transfer of zero, and there is nothing to write.
      if (entry.amount === ZERO) return readWallet(db, entry.accountId);
      const lines = [lineOf(entry)];
      const archived = await archivedOf(lines);
      return db.transaction(async (tx) => {
        const { accountId } = entry;
        const isNew = await bookLines({ db, tx, nowMs: clock.now(), archived }, lines);
        if (isNew) await alongside?.(tx);
        return readWallet(tx, accountId);
      });
    },
    async book(document, alongside) {
      const archived = await archivedOf(document.lines);
      return db.transaction(async (tx) => {
        const isNew = await bookLines({ db, tx, nowMs: clock.now(), archived }, document.lines, document);
        if (isNew) await alongside?.(tx);
        return isNew;
      });
    },
    bookIn: (tx, document) => bookLines({ db, tx, nowMs: clock.now() }, document.lines, document),
    isBooked: (entry) => isBooked(db, lineOf(entry)),
    document: (id) => readStoredDocument(db, id),
    wallet: (accountId) => readWallet(db, accountId),
    async history(accountId, page) {
      const { entries, next } = await transfersOfBooks(db, { accountId }, page);
      return {
        entries: entries.map(({ debit: _debit, credit: _credit, ...entry }) => ({ ...entry, accountId })),
        next,
      };
    },
    transfers: (filter, page) => transfersOfBooks(db, filter, page),
    doersOf: (transfers) => doersOf(db, transfers),
    audit: () => auditBooks(db),
    async trialBalance() {
      const rows = await sql.TRIAL_BALANCE.rows(db);
      return rows
        .map(({ book, accounts, debit, credit }) => {
          return { book, accounts, debit: money(BigInt(debit)), credit: money(BigInt(credit)) };
        })
        .filter(({ book, debit, credit }) => bookOfLine(book)?.class !== 'legacy' || debit !== credit)
        .sort((a, b) => orderOf(a.book).localeCompare(orderOf(b.book)));
    },
    async loadPosted(budgets) {
      const rows = await sql.LOAD_POSTED.rows(db, [budgets]);
      const known = new Map(rows.map((row) => [row.budget, row]));
      return new Map(
        budgets.map((budget) => {
          const row = known.get(budget);
          return [budget, { posted: money(BigInt(row?.posted ?? 0)), version: row?.version ?? 0n }];
        }),
      );
    },
  };
}

/** By account code, then by name; closed and unknown ones come last. */
function orderOf(line: string): string {
  return `${bookOfLine(line)?.code ?? '9999'} ${line}`;
}

function check({ kind, amount, accountId }: ManualTransfer): void {
  if (accountId === '') throw invalidRequest('account_id', reasons.required('account_id'));
  const positive = kind === 'top-up' || kind === 'refund' || kind === 'gift';
  if (positive ? amount <= 0n : kind === 'opening' && amount < 0n)
    throw invalidRequest('amount', reasons.mustBe('amount', expected.aboveZero));
}

function lineOf({ id, kind, accountId, amount, note, requestId, against = AGAINST[kind] }: ManualTransfer): BookLine {
  const wallet = walletBudget(accountId);
  const legs =
    amount > 0n
      ? { debit: against, credit: wallet, amount }
      : { debit: wallet, credit: against, amount: money(-amount) };
  return { id, kind, ...legs, note, requestId };
}

export async function readWallet(from: Queryable, accountId: string): Promise<WalletView> {
  const row = await sql.READ_WALLET.first(from, [walletBudget(accountId)]);
  return { posted: money(BigInt(row?.posted ?? 0)), version: row?.version ?? 0n };
}
