/** The books and the journal in front of them. */
import type { Money } from '../core/money.ts';
import type { TransferKind } from '../core/transfer-kinds.ts';
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
  /** Closed, not yet posted. */
  depth(): number;
  /** False when too much waits for the database: new requests get 503 `overloaded`. */
  accepting(): boolean;
}

export interface Transfer {
  id: string;
  kind: TransferKind;
  accountId: string;
  /** Positive = into the customer's wallet. */
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
  /** Null between our own accounts; the amount is then positive. */
  accountId: string | null;
}

export interface TransferFilter {
  accountId?: string | undefined;
  kind?: TransferKind | undefined;
  /** Into wallets, or out of them. */
  direction?: 'in' | 'out' | undefined;
  /** Its own id, the request it pays back, or the order or dispute it comes from. */
  reference?: string | undefined;
  /** Milliseconds since 1970; `from` is included, `to` is not. */
  from?: number | undefined;
  to?: number | undefined;
}

export interface WalletView {
  posted: Money;
  version: bigint;
}

/** What is booked by hand or by an order: everything but charges and provider costs. */
export interface ManualTransfer {
  id: string;
  kind: 'top-up' | 'adjustment' | 'refund' | 'opening' | 'payback' | 'chargeback';
  accountId: string;
  amount: Money;
  note?: string;
  requestId?: string;
}

export interface AuditReport {
  ok: boolean;
  checks: { id: string; name: string; ok: boolean; detail: string }[];
}
