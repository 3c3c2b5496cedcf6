/** What moves a wallet, of all kinds of transfers, in the order in which people are asked for one. */
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
