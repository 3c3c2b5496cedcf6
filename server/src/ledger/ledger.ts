/** The books and the journal in front of them. */
import type { Money } from '../core/money.ts';
import type { EndedRequest, RequestOpening } from '../requestlog/index.ts';

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
  open(opening: RequestOpening): Promise<void>;
  /** Before the last byte goes out. */
  close(record: EndedRequest): Promise<void>;
  /** Closed, not yet posted. */
  depth(): number;
  /** False when too much waits for the database: new requests get 503 `overloaded`. */
  accepting(): boolean;
}

/**
 * `payback`: money that was paid in goes back to the customer (negative, never more than the wallet holds), or it could not be sent
 * and is credit again (positive). `chargeback`: a card holder took it back (negative), or we won the dispute (positive).
 */
export type TransferKind =
  | 'charge'
  | 'top-up'
  | 'adjustment'
  | 'refund'
  | 'opening'
  | 'provider-cost'
  | 'payback'
  | 'chargeback';

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

export interface WalletView {
  posted: Money;
  version: bigint;
}

export interface Ledger {
  /** Top-up, adjustment, refund. Idempotent by `id`. */
  transfer(entry: {
    id: string;
    kind: 'top-up' | 'adjustment' | 'refund' | 'opening' | 'payback' | 'chargeback';
    accountId: string;
    amount: Money;
    note?: string;
    requestId?: string;
  }): Promise<WalletView>;
  wallet(accountId: string): Promise<WalletView>;
  /** Newest first; `before` is the cursor of the previous page. */
  history(
    accountId: string,
    page: { before?: string; limit: number },
  ): Promise<{ entries: Transfer[]; next: string | null }>;
  audit(): Promise<AuditReport>;
}

export interface AuditReport {
  ok: boolean;
  checks: { name: string; ok: boolean; detail: string }[];
}
