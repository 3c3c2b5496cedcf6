/**
 * The documents of refunded money: the credit note and its tax in the books, written in the transaction that records
 * the refund as sent.
 */
import type { Books } from '../ledger/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { creditNoteEntry } from './entries.ts';
import { invoiceNumber } from './invoices/invoice-number.ts';
import type { Invoices } from './invoices/invoices.ts';
import { type OpenRefund, portionOf, sourceOf } from './open-refund.ts';
import type { Order } from './order.ts';
import type { Portion } from './refund-split.ts';

export interface Papers {
  refunded(tx: Queryable, refund: OpenRefund, by: string): Promise<void>;
  /** The card holder keeps the money for good; `from` has held its tax until now. */
  disputeLost(tx: Queryable, order: Order, portion: Portion, from: string): Promise<void>;
}

export interface PapersOptions {
  ledger: Pick<Books, 'bookIn'>;
  invoices: Pick<Invoices, 'creditNoteFor'>;
}

export function createPapers({ ledger, invoices }: PapersOptions): Papers {
  async function creditNote(
    tx: Queryable,
    order: Order,
    portion: Portion,
    { by, ...how }: { from: string; kind: 'vat' | 'chargeback'; by: string },
  ): Promise<void> {
    const paper = await invoices.creditNoteFor(tx, order, portion);
    if (!paper) return;
    const entry = creditNoteEntry(order, { id: paper.id, number: invoiceNumber(paper), vat: portion.vat, ...how }, by);
    if (entry) await ledger.bookIn(tx, entry);
  }
  return {
    refunded: (tx, refund, by) =>
      creditNote(tx, refund.order, portionOf(refund), { from: sourceOf(refund), kind: 'vat', by }),
    disputeLost: (tx, order, portion, from) =>
      creditNote(tx, order, portion, { from, kind: 'chargeback', by: 'gateway' }),
  };
}
