/**
 * What happens to the books beside orders and requests, as lines: settlements, money without an order, bills, taxes, debts given up.
 * Pure: what somebody knows from a paper in, a document out. Each kind is one function, so that the lines can be read in one place.
 */
import { type Money, money } from '../core/money.ts';
import { walletBudget } from '../keys/index.ts';
import type { BookLine, NewDocument } from '../ledger/index.ts';

/** What every paper has: ours for the event, which makes repeating it harmless; its own date and number; who entered it. */
export interface Paper {
  id: string;
  datedOn?: string | undefined;
  number?: string | undefined;
  note?: string | undefined;
  createdBy: string;
  approvedBy?: string | undefined;
}

type Move = [debit: string, credit: string, amount: Money, foreign?: BookLine['foreign']];

/** Lines of nothing are left out; one that is negative is turned round. */
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
  /** Where it arrived: `bank:<id>` or `fx:<currency>`. */
  at: string;
  arrived: Money;
  fee: Money;
  feeVat: Money;
  /** Theirs that no order is known for. */
  unmatched: Money;
  /** What a cent that was rounded up, and the rate, have made of it. */
  exchange: Money;
  foreign?: BookLine['foreign'];
}

/** A settlement whose lines were held against our orders. */
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

/** Money of the owner that is in a bank account, or left it where negative. */
export function ownerMoney(paper: Paper, { bank, amount }: { bank: string; amount: Money }): NewDocument {
  return documentOf('owner-money', 'settlement', paper, bank, [[`bank:${bank}`, 'owner', amount]]);
}

/** Money at a gateway or a bank that no order is known for. */
export function unmatched(paper: Paper, { at, amount }: { at: string; amount: Money }): NewDocument {
  return documentOf('unmatched', 'unmatched', paper, at, [[at, 'unmatched', amount]]);
}

/** The receipt of such money was entered after all, and counts it at the bank by itself. */
export function foundLater(
  unmatchedId: string,
  { bank, amount, createdBy }: { bank: string; amount: Money; createdBy: string },
): NewDocument {
  const paper = { id: unmatchedId, createdBy };
  const document = documentOf('found', 'unmatched', paper, `bank:${bank}`, [['unmatched', `bank:${bank}`, amount]]);
  return { ...document, reverses: unmatchedId };
}

/** Whose money that was is known now. */
export function matched(
  paper: Paper,
  { accountId, amount, vat }: { accountId: string; amount: Money; vat: Money },
): NewDocument {
  return documentOf('matched', 'unmatched', paper, accountId, [
    ['unmatched', walletBudget(accountId), amount],
    ['unmatched', 'vat-payable', vat],
  ]);
}

/** A wallet that stays negative is given up. */
export function badDebt(paper: Paper, { accountId, amount }: { accountId: string; amount: Money }): NewDocument {
  return documentOf('bad-debt', 'bad-debt', paper, accountId, [['bad-debt', walletBudget(accountId), amount]]);
}

/** Credit by hand of former times gets its paper: money that came to a bank, a gift, or a correction. */
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
  /** The book that paid: `bank:<id>` or `fx:<currency>`. */
  from: string;
  /** What we owed by the books. */
  owed: Money;
  fee: Money;
  /** What it cost beyond that, or less where negative. */
  difference: Money;
  /** What left `fx:<currency>`. */
  foreign?: BookLine['foreign'];
}

export function billPaid(paper: Paper, { provider, from, owed, fee, difference, foreign }: BillPayment): NewDocument {
  return documentOf('bill-payment', 'bill', paper, provider, [
    [`provider:${provider}`, from, owed, foreign],
    ['bank-fees', from, fee],
    ['fx-difference', from, difference],
  ]);
}

/** The tax of a season: what was paid on purchases is set off, the rest leaves the bank. */
export function taxPaid(
  paper: Paper,
  { setOff, paid, bank }: { setOff: Money; paid: Money; bank: string },
): NewDocument {
  return documentOf('tax-payment', 'tax-payment', paper, 'tax office', [
    ['vat-payable', 'vat-input', setOff],
    ['vat-payable', `bank:${bank}`, paid],
  ]);
}
