/** The kinds of transfers that move a wallet, in the order in which forms offer them. */
export const WALLET_KINDS = [
  'charge',
  'top-up',
  'gift',
  'refund',
  'guarantee',
  'adjustment',
  'payback',
  'chargeback',
  'unmatched',
  'bad-debt',
  'opening',
] as const;
export type WalletKind = (typeof WALLET_KINDS)[number];
