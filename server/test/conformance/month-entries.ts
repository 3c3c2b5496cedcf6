/** The entries of the accountant's month as the design says them, written by hand. */
import { money, parseToman } from '../../src/core/money.ts';

export const exact = (text: string) => parseToman(text) ?? money(0n);

/** Debit, credit, toman: the whole month. */
export const ENTRIES: readonly [debit: string, credit: string, toman: string][] = [
  ['gateway:zarinpal', 'wallets', '1000000'],
  ['gateway:zarinpal', 'vat-payable', '100000'],
  ['bank:melli', 'wallets', '5000000'],
  ['bank:melli', 'vat-payable', '500000'],
  ['gateway:stripe', 'wallets', '2000000'],
  ['gateway:stripe', 'vat-payable', '200000'],
  ['promotions', 'wallets', '200000'],
  ['promotions', 'wallets', '50000'],
  // Three sold requests, one of them at a cost that nobody knows, and one of the month's last minute.
  ['wallets', 'revenue', '2403.28'],
  ['costs', 'providers', '2184.8'],
  ['wallets', 'revenue', '100'],
  ['wallets', 'revenue', '5.000001'],
  ['costs', 'providers', '4'],
  ['revenue', 'wallets', '2403.28'],
  // A settlement.
  ['bank:melli', 'gateway:zarinpal', '1089000'],
  ['gateway-fees', 'gateway:zarinpal', '10000'],
  ['vat-input', 'gateway:zarinpal', '1000'],
  // An order that went back whole, sent by hand, and one of which a part did.
  ['gateway:zarinpal', 'wallets', '300000'],
  ['gateway:zarinpal', 'vat-payable', '30000'],
  ['wallets', 'bank:melli', '300000'],
  ['vat-payable', 'bank:melli', '30000'],
  ['wallets', 'gateway:stripe', '500000'],
  ['vat-payable', 'gateway:stripe', '50000'],
  // A dispute that is lost, and one that is won.
  ['gateway:stripe', 'wallets', '1000000'],
  ['gateway:stripe', 'vat-payable', '100000'],
  ['wallets', 'gateway:stripe', '1000000'],
  ['disputes', 'gateway:stripe', '100000'],
  ['gateway-fees', 'gateway:stripe', '1500000'],
  ['vat-payable', 'disputes', '100000'],
  ['gateway:stripe', 'wallets', '1000000'],
  ['gateway:stripe', 'vat-payable', '100000'],
  ['wallets', 'gateway:stripe', '1000000'],
  ['disputes', 'gateway:stripe', '100000'],
  ['gateway-fees', 'gateway:stripe', '1500000'],
  ['gateway:stripe', 'wallets', '1000000'],
  ['gateway:stripe', 'disputes', '100000'],
  ['gateway:stripe', 'gateway-fees', '1500000'],
  // Money without an order, and whose it was.
  ['gateway:zibal', 'unmatched', '110000'],
  ['unmatched', 'wallets', '100000'],
  ['unmatched', 'vat-payable', '10000'],
  // By hand.
  ['corrections', 'wallets', '50000'],
  ['wallets', 'corrections', '20000'],
  ['undocumented', 'wallets', '10000'],
  ['bank:melli', 'undocumented', '10000'],
  ['wallets', 'corrections', '70000'],
  ['bad-debt', 'wallets', '70000'],
  // A bill, the currency for it, its payment, and the tax.
  ['costs', 'providers', '1500000'],
  ['fx:USDT', 'bank:melli', '125424000'],
  ['providers', 'fx:USDT', '1000000'],
  ['bank-fees', 'fx:USDT', '24000'],
  ['fx-difference', 'fx:USDT', '4000'],
  ['vat-payable', 'vat-input', '1000'],
  ['vat-payable', 'bank:melli', '99000'],
  ['play-money', 'wallets', '700000'],
  ['bank:main', 'wallets', '400000'],
  ['bank:main', 'vat-payable', '40000'],
];

/** `book → [moved debit, moved credit]`, and the net at the end, which is that of the month: the books begin with it. */
export function expectedBooks() {
  const books = new Map<string, { debit: bigint; credit: bigint }>();
  const add = (book: string, side: 'debit' | 'credit', amount: bigint) => {
    const known = books.get(book) ?? { debit: 0n, credit: 0n };
    known[side] += amount;
    books.set(book, known);
  };
  for (const [debit, credit, amount] of ENTRIES) {
    add(debit, 'debit', exact(amount));
    add(credit, 'credit', exact(amount));
  }
  return books;
}
