/**
 * What happens to the books beside orders and requests, as lines: settlements, money without an order, bills, taxes,
 * bad debts. Pure: takes what somebody reads from a paper and returns a document. Each kind is one function, so that
 * all lines can be read in one place.
 */
import { type Money, money } from '../core/money.ts';
import { walletBudget } from '../keys/index.ts';
import type { BookLine, NewDocument } from '../ledger/index.ts';

/**
 * What every document has: our id, which makes repeating it harmless; the date and number of its paper; who entered it.
 */
export interface Paper {
  id: string;
  datedOn?: string | undefined;
  number?: string | undefined;
  note?: string | undefined;
  createdBy: string;
  approvedBy?: string | undefined;
}

type Move = [debit: string, credit: string, amount: Money, foreign?: BookLine['foreign']];

/** Leaves out lines of zero, and swaps debit and credit of negative ones. */
function documentOf(
  kind: string,
  lineKind: BookLine['kind'],
  paper: Paper,
  party: string,
  moves: readonly Move[],
): NewDocument {
  const lines = moves
    .filter(([, , amount]) => amount !== 0n)
    .map(([debit, credit, amount, foreign], index): BookLine => {
      const id = index === 0 ? `${kind}:${paper.id}` : `${kind}:${paper.id}:${index + 1}`;
      const legs = amount > 0n ? { debit, credit, amount } : { debit: credit, credit: debit, amount: money(-amount) };
      return { id, kind: lineKind, ...legs, note: paper.note, foreign };
    });
  return { ...paper, id: `${kind}:${paper.id}`, kind, party, lines };
}

/** A gateway paid out to a bank, less its fee. `feeVat` only where its bill shows tax on the fee. */
export function settlement(
  paper: Paper,
  { gateway, bank, arrived, fee, feeVat }: { gateway: string; bank: string; arrived: Money; fee: Money; feeVat: Money },
): NewDocument {
  const credit = `gateway:${gateway}`;
  return documentOf('settlement', 'settlement', paper, gateway, [
    [`bank:${bank}`, credit, arrived],
    ['gateway-fees', credit, fee],
    ['vat-input', credit, feeVat],
  ]);
}

export interface SettledLines {
  gateway: string;
  /** The book where it arrived: `bank:<id>` or `fx:<currency>`. */
  at: string;
  arrived: Money;
  fee: Money;
  feeVat: Money;
  /** Their lines for which no order is known. */
  unmatched: Money;
  /** The difference that rounding to cents and the exchange rate have made. */
  exchange: Money;
  foreign?: BookLine['foreign'];
}

/** A settlement whose lines were matched with our orders. */
export function settledLines(paper: Paper, settled: SettledLines): NewDocument {
  const { at, arrived, fee, feeVat, exchange, foreign } = settled;
  const gateway = `gateway:${settled.gateway}`;
  return documentOf('settlement', 'settlement', paper, settled.gateway, [
    [at, gateway, arrived, foreign],
    ['gateway-fees', gateway, fee],
    ['vat-input', gateway, feeVat],
    [gateway, 'unmatched', settled.unmatched],
    ['fx-difference', gateway, exchange],
  ]);
}

/** Money of the owner that came to a bank account, or left it where the amount is negative. */
export function ownerMoney(paper: Paper, { bank, amount }: { bank: string; amount: Money }): NewDocument {
  return documentOf('owner-money', 'settlement', paper, bank, [[`bank:${bank}`, 'owner', amount]]);
}

/** Money at a gateway or a bank for which no order is known. */
export function unmatched(paper: Paper, { at, amount }: { at: string; amount: Money }): NewDocument {
  return documentOf('unmatched', 'unmatched', paper, at, [[at, 'unmatched', amount]]);
}

/** The receipt of such money was entered after all, and the receipt counts the money at the bank itself. */
export function foundLater(
  unmatchedId: string,
  { bank, amount, createdBy }: { bank: string; amount: Money; createdBy: string },
): NewDocument {
  const paper = { id: unmatchedId, createdBy };
  const document = documentOf('found', 'unmatched', paper, `bank:${bank}`, [['unmatched', `bank:${bank}`, amount]]);
  return { ...document, reverses: unmatchedId };
}

/** Assigns such money to the account it belongs to. */
export function matched(
  paper: Paper,
  { accountId, amount, vat }: { accountId: string; amount: Money; vat: Money },
): NewDocument {
  return documentOf('matched', 'unmatched', paper, accountId, [
    ['unmatched', walletBudget(accountId), amount],
    ['unmatched', 'vat-payable', vat],
  ]);
}

/** Writes off a wallet that stays negative. */
export function badDebt(paper: Paper, { accountId, amount }: { accountId: string; amount: Money }): NewDocument {
  return documentOf('bad-debt', 'bad-debt', paper, accountId, [['bad-debt', walletBudget(accountId), amount]]);
}

/** Gives an old credit by hand its document: money that came to a bank, a gift, or a correction. */
export function documented(
  paper: Paper,
  { as, amount }: { as: `bank:${string}` | 'promotions' | 'corrections'; amount: Money },
): NewDocument {
  const kind = as === 'promotions' ? 'gift' : 'settlement';
  return documentOf('documented', kind, paper, as, [[as, 'undocumented', amount]]);
}

/** A provider billed more, or less, than was counted while its models answered. */
export function providerBill(
  paper: Paper,
  { provider, beyondCounted }: { provider: string; beyondCounted: Money },
): NewDocument {
  return documentOf('bill', 'bill', paper, provider, [['costs', `provider:${provider}`, beyondCounted]]);
}

export function currencyBought(
  paper: Paper,
  { currency, units, bank, amount }: { currency: string; units: string; bank: string; amount: Money },
): NewDocument {
  const foreign = { units, unit: currency };
  return documentOf('currency', 'bill', paper, bank, [[`fx:${currency}`, `bank:${bank}`, amount, foreign]]);
}

export interface BillPayment {
  provider: string;
  /** The book from which it was paid: `bank:<id>` or `fx:<currency>`. */
  from: string;
  /** What the books say that we owed. */
  owed: Money;
  fee: Money;
  /** What it cost beyond that; negative where it cost less. */
  difference: Money;
  /** The amount that left `fx:<currency>`. */
  foreign?: BookLine['foreign'];
}

export function billPaid(paper: Paper, { provider, from, owed, fee, difference, foreign }: BillPayment): NewDocument {
  return documentOf('bill-payment', 'bill', paper, provider, [
    [`provider:${provider}`, from, owed, foreign],
    ['bank-fees', from, fee],
    ['fx-difference', from, difference],
  ]);
}

/** The tax of a season: what was paid on purchases is deducted, and the rest leaves the bank. */
export function taxPaid(
  paper: Paper,
  { setOff, paid, bank }: { setOff: Money; paid: Money; bank: string },
): NewDocument {
  return documentOf('tax-payment', 'tax-payment', paper, 'tax office', [
    ['vat-payable', 'vat-input', setOff],
    ['vat-payable', `bank:${bank}`, paid],
  ]);
}
