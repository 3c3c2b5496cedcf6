/** The kinds of transfers between two accounts of the books. */

/**
 * `payback`: money that was paid in goes back to the customer (negative, never more than the wallet holds), or it could not be sent
 * and is credit again (positive). `chargeback`: a card holder took it back (negative), or we won the dispute (positive).
 * `waste`: what a provider costs for attempts that were not sold. `probe`: what asking routes for
 * the conformance matrix costs. `continuation`: what routes cost that go on with answers which others broke off. `guarantee`: what an
 * answer cost that broke the guarantee, given back. `cost-correction`: what it cost, known later.
 * `gift`: credit without money. `cutover`: what 0.1.0 wrote, moved to the books of the chart. The others move between our own books.
 */
export const TRANSFER_KINDS = [
  'charge',
  'top-up',
  'adjustment',
  'refund',
  'guarantee',
  'opening',
  'provider-cost',
  'waste',
  'probe',
  'continuation',
  'cost-correction',
  'payback',
  'chargeback',
  'gift',
  'vat',
  'fee',
  'settlement',
  'unmatched',
  'bad-debt',
  'bill',
  'tax-payment',
  'cutover',
] as const;
/**
 * An SQL term: the kinds of transfers that give back what a request cost. The index `ledger_transfer_given_back` must
 * list the same kinds.
 */
export const GIVEN_BACK = `('refund', 'guarantee')`;
export type TransferKind = (typeof TRANSFER_KINDS)[number];
