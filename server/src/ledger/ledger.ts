/** The books and the journal in front of them. */

import type { TransferKind } from '@dargah/core/transfer-kinds.ts';
import type { Money } from '../core/money.ts';
import type { StartRecord, WrittenRequest } from '../requestlog/index.ts';

/**
 * Append-only file between the request path and the database. Both calls resolve once the record has been handed to the
 * operating system, so a killed process loses nothing; what a power cut loses is bounded by the fdatasync interval. With an
 * interval of 0 they resolve once the disk has it.
 *
 * When the disk refuses: `open` rejects, and the request must not run. `close` waits until the disk takes the record again or
 * the database has it, and rejects after a few seconds; even then the record stays in memory and is still posted.
 */
export interface Journal {
  /** Before the upstream is called. */
  open(startRecord: StartRecord): Promise<void>;
  /** Before the last byte goes out. */
  close(record: WrittenRequest): Promise<void>;
  /** Closed requests that are not posted yet. */
  depth(): number;
  /** False when too much waits for the database; new requests then get 503 `overloaded`. */
  accepting(): boolean;
}

export interface Transfer {
  id: string;
  kind: TransferKind;
  accountId: string;
  /** Positive when it goes into the customer's wallet. */
  amount: Money;
  requestId: string | null;
  priceVersion: string | null;
  note: string | null;
  createdAt: number;
}

/** A transfer as the books have it, which may also be between two accounts of our own. */
export interface BookedTransfer extends Omit<Transfer, 'accountId'> {
  debit: string;
  credit: string;
  /** Null for a transfer between our own accounts; the amount is then positive. */
  accountId: string | null;
}

export interface TransferFilter {
  accountId?: string | undefined;
  kind?: TransferKind | undefined;
  /** Only transfers into wallets, or out of them. */
  direction?: 'in' | 'out' | undefined;
  /** The transfer's own id, the request that it refunds, or the order or dispute that it belongs to. */
  reference?: string | undefined;
  /** Milliseconds since 1970; `from` is included, `to` is not. */
  from?: number | undefined;
  to?: number | undefined;
  /** The document whose line it is. */
  documentId?: string | undefined;
  withoutCharges?: boolean | undefined;
  /** True leaves out provider costs as well as charges. */
  byHand?: boolean | undefined;
}

export interface WalletView {
  posted: Money;
  version: bigint;
}

/** What is booked by hand or by an order: everything but charges and provider costs. */
export interface ManualTransfer {
  id: string;
  kind: 'top-up' | 'adjustment' | 'refund' | 'opening' | 'gift';
  accountId: string;
  amount: Money;
  note?: string;
  requestId?: string;
  /** The book against the wallet, where it is not the usual one of this kind. */
  against?: string;
}

/**
 * One line of an entry: `amount` leaves `credit` and arrives at `debit`, as accountants write it. At most one of the
 * two is a wallet.
 */
export interface BookLine {
  id: string;
  kind: Exclude<TransferKind, 'charge' | 'provider-cost' | 'waste' | 'probe' | 'continuation' | 'cost-correction'>;
  debit: string;
  credit: string;
  amount: Money;
  requestId?: string | undefined;
  note?: string | undefined;
  /** The foreign side of a leg in `fx:<currency>`, with up to six decimals. */
  foreign?: { units: string; unit: string } | undefined;
}

/** What is booked at once: the document and its lines. The first line's id makes repeating it harmless. */
export interface NewDocument {
  id: string;
  kind: string;
  /** The date of the paper, `2026-11-17`; the day of booking where it has none. */
  datedOn?: string | undefined;
  number?: string | null | undefined;
  party?: string | undefined;
  note?: string | undefined;
  attachment?: string | undefined;
  createdBy: string;
  approvedBy?: string | undefined;
  reverses?: string | undefined;
  lines: readonly BookLine[];
}

export interface AuditReport {
  ok: boolean;
  checks: { id: string; name: string; ok: boolean; detail: string }[];
}
