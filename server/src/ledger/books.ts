/** The books over the database: wallets, top-ups, corrections, refunds, history and proof. */

import type { LoadPosted } from '../admission/index.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { type Money, money, ZERO } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import { walletBudget } from '../keys/index.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import { auditBooks } from './audit.ts';
import type { AuditReport, BookedTransfer, ManualTransfer, Transfer, TransferFilter, WalletView } from './ledger.ts';
import { ledgerReasons } from './reasons.ts';
import * as sql from './sql.ts';
import { doersOf, type TransferDoer, transfersOfBooks } from './transfer-list.ts';

/** Who stands against the wallet. */
const COUNTERPARTY: Record<ManualTransfer['kind'], string> = {
  'top-up': 'cash',
  adjustment: 'adjustments',
  refund: 'revenue',
  opening: 'opening',
  payback: 'cash',
  chargeback: 'cash',
};
/** Ids of charges and provider costs. A manual transfer with such an id would make the later charge look like a repetition. */
const RESERVED_ID = /^(req_|supply:)/;
const MAX_ID_LENGTH = 200;

/** One line of the trial balance: all wallets and all providers are one book each. */
export interface BookBalance {
  book: string;
  accounts: number;
  debit: Money;
  credit: Money;
}

export interface Books {
  /** Idempotent by `id`. `alongside` is written in the same transaction, and only when the transfer is new: the audit log entry of who gave credit. */
  transfer(entry: ManualTransfer, alongside?: (tx: Queryable) => Promise<void>): Promise<WalletView>;
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
  /** Who made them, by their ids; those that nobody made are missing. */
  doersOf(transfers: readonly BookedTransfer[]): Promise<Map<string, TransferDoer>>;
  audit(): Promise<AuditReport>;
  /** What every book holds; over all of them debits are credits. */
  trialBalance(): Promise<BookBalance[]>;
  /** For admission: what is posted against each budget. */
  loadPosted: LoadPosted;
}

export function createLedger({ db, clock }: { db: Database; clock: Clock }): Books {
  return {
    async transfer(entry, alongside) {
      check(entry);
      // A transfer of zero is refused by a constraint of the table, and there is nothing to write.
      if (entry.amount === ZERO) return readWallet(db, entry.accountId);
      return db.transaction((tx) => write(db, tx, entry, clock.now(), alongside));
    },
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
      const rows = await db.query<TrialRow>(sql.TRIAL_BALANCE);
      return rows.map(({ book, accounts, debit, credit }) => {
        return { book, accounts, debit: money(BigInt(debit)), credit: money(BigInt(credit)) };
      });
    },
    async loadPosted(budgets) {
      const rows = await db.query<{ budget: string; posted: string; version: bigint }>(sql.LOAD_POSTED, [budgets]);
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

interface TrialRow {
  book: string;
  accounts: number;
  debit: string;
  credit: string;
}

function check({ id, kind, amount, accountId }: ManualTransfer): void {
  if (id === '' || id.length > MAX_ID_LENGTH || RESERVED_ID.test(id))
    throw invalidRequest('id', ledgerReasons.wrongTransferId(MAX_ID_LENGTH));
  if (accountId === '') throw invalidRequest('account_id', reasons.required('account_id'));
  const positive = kind === 'top-up' || kind === 'refund';
  if (positive ? amount <= 0n : kind === 'opening' && amount < 0n)
    throw invalidRequest('amount', reasons.mustBe('amount', expected.aboveZero));
}

async function write(
  db: Database,
  tx: Queryable,
  entry: ManualTransfer,
  nowMs: number,
  alongside?: (tx: Queryable) => Promise<void>,
): Promise<WalletView> {
  const legs = legsOf(entry);
  const { id, kind, accountId } = entry;
  const inserted = await tx.query(sql.INSERT_TRANSFER, [
    id,
    legs.debit,
    legs.credit,
    String(legs.amount),
    kind,
    accountId,
    entry.requestId ?? null,
    entry.note ?? null,
    nowMs,
  ]);
  if (inserted.length === 0) {
    await requireSame(tx, entry, legs);
    return readWallet(tx, accountId);
  }
  await tx.query(sql.MOVE_BALANCES, [legs.debit, legs.credit, String(legs.amount)]);
  if (kind === 'refund' && entry.requestId !== undefined) {
    for (const counter of await returnToCounters(tx, entry, entry.requestId)) await db.publish(tx, 'budget', counter);
  }
  await db.publish(tx, 'wallet', accountId);
  await alongside?.(tx);
  const wallet = await readWallet(tx, accountId);
  if (kind === 'payback' && entry.amount < 0n && wallet.posted < 0n)
    throw new GatewayError('conflict', { param: 'amount', reason: ledgerReasons.notInTheWallet });
  return wallet;
}

function legsOf({ kind, accountId, amount }: ManualTransfer): { debit: string; credit: string; amount: bigint } {
  const wallet = walletBudget(accountId);
  const other = COUNTERPARTY[kind];
  return amount > 0n ? { debit: other, credit: wallet, amount } : { debit: wallet, credit: other, amount: -amount };
}

/** The same id with the same content is a repeated call; with another content it is a mistake worth hearing of. */
async function requireSame(tx: Queryable, entry: ManualTransfer, legs: ReturnType<typeof legsOf>): Promise<void> {
  const [known] = await tx.query<{
    debit: string;
    credit: string;
    amount: string;
    kind: string;
    request_id: string | null;
  }>(sql.FIND_TRANSFER, [entry.id]);
  const same =
    known?.debit === legs.debit &&
    known.credit === legs.credit &&
    known.amount === String(legs.amount) &&
    known.kind === entry.kind &&
    known.request_id === (entry.requestId ?? null);
  if (!same) {
    const reason = ledgerReasons.transferIdUsed;
    throw new GatewayError('conflict', { param: 'id', reason });
  }
}

/** A refund also gives the caps back what they counted, in the periods that counted it. Returns the counters. */
async function returnToCounters(tx: Queryable, entry: ManualTransfer, requestId: string): Promise<string[]> {
  const [request] = await tx.query<{ cost: string; counters: string | null }>(sql.LOCK_CHARGED_REQUEST, [
    requestId,
    entry.accountId,
  ]);
  const [refunded] = await tx.query<{ amount: string }>(sql.REFUNDED_SO_FAR, [requestId]);
  if (!request || BigInt(refunded?.amount ?? 0) > BigInt(request.cost)) {
    const reason = ledgerReasons.refundTooLarge;
    throw new GatewayError('conflict', { param: 'amount', reason });
  }
  if (!request.counters) return [];
  await tx.query(sql.LOWER_COUNTERS, [request.counters, String(entry.amount)]);
  return request.counters.split(' ');
}

export async function readWallet(from: Queryable, accountId: string): Promise<WalletView> {
  const [row] = await from.query<{ posted: string; version: bigint }>(sql.READ_WALLET, [walletBudget(accountId)]);
  return { posted: money(BigInt(row?.posted ?? 0)), version: row?.version ?? 0n };
}
