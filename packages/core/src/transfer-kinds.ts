/** What moves money between two accounts of the books. */

/**
 * `payback`: money that was paid in goes back to the customer (negative, never more than the wallet holds), or it could not be sent
 * and is credit again (positive). `chargeback`: a card holder took it back (negative), or we won the dispute (positive).
 */
export const TRANSFER_KINDS = [
  'charge',
  'top-up',
  'adjustment',
  'refund',
  'opening',
  'provider-cost',
  'payback',
  'chargeback',
] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];
