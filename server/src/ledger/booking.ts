/**
 * Writes the lines of one event into the books: the document, the transfers, the balances, and what depends on them,
 * all in the caller's transaction. Nothing else writes a transfer, except for charges and provider costs.
 */

import { bookOf } from '@dargah/core/chart.ts';
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import { kindBefore, lineBefore } from './before-cut-over.ts';
import type { BookLine, NewDocument } from './ledger.ts';
import * as sql from './ledger-sql.ts';
import { ledgerReasons } from './reasons.ts';

/**
 * The ids of charges and provider costs. Another line with such an id would make the later charge look like a
 * repetition.
 */
const RESERVED_ID = /^(req_|supply:|waste:|probe:|continuation:|cost-correction:)/;
const MAX_ID_LENGTH = 200;
const WALLET = 'wallet:';

export interface Booking {
  db: Database;
  tx: Queryable;
  nowMs: number;
  /** The spend counters of archived requests that are refunded, read before the transaction began. */
  archived?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** Whether entries go to the books of the chart, or still to those of 0.1.0. */
export async function chartInUse(tx: Queryable): Promise<boolean> {
  const row = await sql.CHART_IN_USE.first(tx);
  return row?.in_use === true;
}

/**
 * Returns false when it was booked before. The same first id with different content throws, because it is a mistake.
 */
export async function bookLines(
  booking: Booking,
  given: readonly BookLine[],
  document?: Omit<NewDocument, 'lines'>,
): Promise<boolean> {
  checkLines(given);
  const { tx } = booking;
  const lines = (await chartInUse(tx)) ? given : given.flatMap((line) => lineBefore(line) ?? []);
  const [first] = lines;
  if (!first) return true;
  const inserted = await insertLines(booking, lines, document?.id ?? null);
  if (!inserted.has(first.id)) {
    await requireSame(tx, first);
    return false;
  }
  if (inserted.size < lines.length)
    throw new GatewayError('conflict', { param: 'id', reason: ledgerReasons.transferIdUsed });
  if (document && !(await insertDocument(booking, document)))
    throw new GatewayError('conflict', { param: 'id', reason: ledgerReasons.documentIdUsed });
  const column = (of: (line: BookLine) => string) => lines.map(of);
  await sql.MOVE_BALANCES.run(tx, [
    column(({ debit }) => debit),
    column(({ credit }) => credit),
    column(({ amount }) => String(amount)),
  ]);
  for (const line of lines) await tellOf(booking, line);
  return true;
}

function accountOf({ debit, credit }: Pick<BookLine, 'debit' | 'credit'>): string | null {
  const wallet = [debit, credit].find((book) => book.startsWith(WALLET));
  return wallet === undefined ? null : wallet.slice(WALLET.length);
}

function checkLines(lines: readonly BookLine[]): void {
  if (lines.length === 0) throw invalidRequest('lines', ledgerReasons.noLines);
  for (const { id, debit, credit, amount } of lines) {
    if (id === '' || id.length > MAX_ID_LENGTH || RESERVED_ID.test(id))
      throw invalidRequest('id', ledgerReasons.wrongTransferId(MAX_ID_LENGTH));
    for (const book of [debit, credit]) if (!bookOf(book)) throw invalidRequest('book', ledgerReasons.noSuchBook(book));
    const wallets = [debit, credit].filter((book) => book.startsWith(WALLET)).length;
    if (amount <= 0n || debit === credit || wallets > 1) throw invalidRequest('amount', ledgerReasons.wrongLine);
  }
}

async function insertDocument({ tx, nowMs }: Booking, document: Omit<NewDocument, 'lines'>): Promise<boolean> {
  const inserted = await sql.INSERT_DOCUMENT.rows(tx, [
    document.id,
    document.kind,
    document.datedOn ?? null,
    document.number ?? null,
    document.party ?? null,
    document.note ?? null,
    document.attachment ?? null,
    document.createdBy,
    document.approvedBy ?? null,
    document.reverses ?? null,
    nowMs,
    HOME_ZONE,
  ]);
  return inserted.length > 0;
}

async function insertLines({ tx, nowMs }: Booking, lines: readonly BookLine[], document: string | null) {
  const column = (of: (line: BookLine) => string | null) => lines.map(of);
  const rows = await sql.INSERT_LINES.rows(tx, [
    column(({ id }) => id),
    column(({ debit }) => debit),
    column(({ credit }) => credit),
    column(({ amount }) => String(amount)),
    column(({ kind }) => kind),
    column(accountOf),
    column(({ requestId }) => requestId ?? null),
    column(({ note }) => note ?? null),
    nowMs,
    document,
    column(({ foreign }) => foreign?.units ?? null),
    column(({ foreign }) => foreign?.unit ?? null),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Tells replicas of wallets that moved, and lowers the caps' counters by what a refund of a request returns. */
async function tellOf(booking: Booking, line: BookLine): Promise<void> {
  const { db, tx } = booking;
  const accountId = accountOf(line);
  if (accountId === null) return;
  const requestId = givenBackOf(line);
  if (requestId !== undefined) {
    const counters = await returnToCounters(booking, accountId, requestId, line.amount);
    for (const counter of counters) await db.publish(tx, 'budget', counter);
  }
  await db.publish(tx, 'wallet', accountId);
  if (line.kind === 'payback' && line.debit.startsWith(WALLET)) await requireThere(tx, line);
}

/** Money is never refunded for credit that is spent. */
async function requireThere(tx: Queryable, { debit }: BookLine): Promise<void> {
  const wallet = await sql.READ_WALLET.first(tx, [debit]);
  if (BigInt(wallet?.posted ?? 0) < 0n)
    throw new GatewayError('conflict', { param: 'amount', reason: ledgerReasons.notInTheWallet });
}

/** Whether this line is in the books; throws where another one has its id. */
export async function isBooked(db: Queryable, line: BookLine): Promise<boolean> {
  const known = await sql.FIND_TRANSFER.rows(db, [line.id]);
  if (known.length === 0) return false;
  await requireSame(db, line);
  return true;
}

/**
 * Requires that an existing line is the same, since it is then a repeated call. The book against the wallet may be the
 * one that 0.1.0 wrote.
 */
async function requireSame(tx: Queryable, line: BookLine): Promise<void> {
  const known = await sql.FIND_TRANSFER.first(tx, [line.id]);
  const same =
    known !== undefined &&
    walletSide(known) === walletSide(line) &&
    known.amount === String(line.amount) &&
    (known.kind === line.kind || known.kind === kindBefore(line.kind)) &&
    known.request_id === (line.requestId ?? null);
  if (!same) throw new GatewayError('conflict', { param: 'id', reason: ledgerReasons.transferIdUsed });
}

/** `-wallet:acme` when money leaves that wallet; the books themselves where no wallet moves. */
function walletSide({ debit, credit }: Pick<BookLine, 'debit' | 'credit'>): string {
  if (debit.startsWith(WALLET)) return `-${debit}`;
  return credit.startsWith(WALLET) ? credit : `${debit} ${credit}`;
}

/** The request that the line refunds. */
export function givenBackOf({ kind, requestId }: BookLine): string | undefined {
  return kind === 'refund' || kind === 'guarantee' ? requestId : undefined;
}

/** Lowers the caps' counters by the refund, in the periods that counted the charge. Returns the counters. */
async function returnToCounters(
  { tx, archived }: Booking,
  accountId: string,
  requestId: string,
  amount: bigint,
): Promise<readonly string[]> {
  const values = [requestId, accountId];
  const logged = await sql.LOCK_CHARGED_REQUEST.first(tx, values);
  const request = logged ?? (await sql.LOCK_ARCHIVED_CHARGE.first(tx, values));
  const refunded = await sql.REFUNDED_SO_FAR.first(tx, [requestId]);
  if (!request || BigInt(refunded?.amount ?? 0) > BigInt(request.cost)) {
    const reason = ledgerReasons.refundTooLarge;
    throw new GatewayError('conflict', { param: 'amount', reason });
  }
  const counters = logged ? (logged.counters ?? '').split(' ').filter(Boolean) : archivedCounters(archived, requestId);
  if (counters.length === 0) return [];
  const lowered = [counters.join(' '), String(amount)];
  await sql.LOWER_COUNTERS.run(tx, lowered);
  if (!logged) for (const lower of sql.LOWER_LEFT_BEHIND) await lower.run(tx, lowered);
  return counters;
}

/**
 * Without an archive nobody knows the counters. A day that has just moved there is found when the refund is tried
 * again.
 */
function archivedCounters(archived: Booking['archived'], requestId: string): readonly string[] {
  if (!archived) return [];
  const counters = archived.get(requestId);
  if (!counters) throw new GatewayError('overloaded', { instead: ledgerReasons.dayMoves });
  return counters;
}
