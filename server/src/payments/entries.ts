/** What happens to orders, as lines of the books. Pure: takes an order and an event, returns a document. */
import { type Money, money } from '../core/money.ts';
import { walletBudget } from '../keys/index.ts';
import type { BookLine, NewDocument } from '../ledger/index.ts';
import type { Order } from './order.ts';

/** The book of bank transfers while the operator has named no bank account. */
export const FIRST_BANK = 'main';

/** The book that the money of an order came to. */
export function bookOfMoney({ gateway, bank }: Pick<Order, 'gateway' | 'bank'>): string {
  if (gateway === 'gift-code') return 'promotions';
  if (gateway === 'sandbox') return 'play-money';
  return gateway === 'bank-transfer' ? `bank:${bank ?? FIRST_BANK}` : `gateway:${gateway}`;
}

/** Play money bears no tax, and its invoices are specimens. */
export function isPlayed({ gateway }: Pick<Order, 'gateway'>): boolean {
  return gateway === 'sandbox';
}

/** Who entered it, and what its paper says where there is one. */
export interface EntryPaper {
  createdBy: string;
  approvedBy?: string | undefined;
  datedOn?: string | undefined;
  /** What staff wrote about it; the gateway and its number where they wrote nothing. */
  note?: string | undefined;
}

export function topUpEntry(order: Order, paper: EntryPaper): NewDocument {
  const { id, accountId, amount, vat, gateway, reference } = order;
  const debit = bookOfMoney(order);
  const kind = gateway === 'gift-code' ? ('gift' as const) : ('top-up' as const);
  const note = reference === null || reference === '' ? gateway : `${gateway} ${reference}`;
  const lines: BookLine[] = [{ id: `topup:${id}`, kind, debit, credit: walletBudget(accountId), amount, note }];
  if (vat > 0n && debit !== 'play-money' && kind === 'top-up')
    lines.push({ id: `vat:${id}`, kind: 'vat', debit, credit: 'vat-payable', amount: vat, note });
  return { note, ...paper, id: `topup:${id}`, kind, number: reference, party: accountId, lines };
}

export interface GoingBack {
  /** `<order>:<number>`. */
  name: string;
  amount: Money;
  /** The book that the money leaves. */
  source: string;
  createdBy: string;
  note: string;
}

/** Takes the credit; its tax follows with the credit note, when the money is sent. */
export function refundEntry({ accountId }: Order, { name, amount, source, createdBy, note }: GoingBack): NewDocument {
  const wallet = walletBudget(accountId);
  const line: BookLine = { id: `refund:${name}`, kind: 'payback', debit: wallet, credit: source, amount, note };
  return { id: line.id, kind: 'refund', party: accountId, note, createdBy, lines: [line] };
}

/** Turns money that was not sent into credit again. */
export function undoneEntry({ accountId }: Order, { name, amount, source, createdBy, note }: GoingBack): NewDocument {
  const wallet = walletBudget(accountId);
  const line: BookLine = { id: `refund-undone:${name}`, kind: 'payback', debit: source, credit: wallet, amount, note };
  const reverses = `refund:${name}`;
  return { id: line.id, kind: 'refund', party: accountId, note, createdBy, reverses, lines: [line] };
}

/** The tax of a credit note, which is its paper. */
export function creditNoteEntry(
  order: Order,
  note: { id: string; number: string; vat: Money; from: string; kind: 'vat' | 'chargeback' },
  createdBy: string,
): NewDocument | undefined {
  if (note.vat <= 0n || isPlayed(order)) return undefined;
  const id = `vat:${order.id}:${note.id}`;
  const { kind, from: credit, vat: amount, number } = note;
  const line: BookLine = { id, kind, debit: 'vat-payable', credit, amount, note: number };
  return { id, kind: 'credit-note', number: note.number, party: order.accountId, createdBy, lines: [line] };
}

export interface Disputed {
  id: string;
  amount: Money;
  vat: Money;
  fee: Money;
}

/** A card holder took the payment back: credit, its tax until it is decided, and what the gateway takes for the dispute. */
export function disputeEntry(order: Order, { id, amount, vat, fee }: Disputed): NewDocument {
  const note = disputeNote(order, id);
  const credit = bookOfMoney(order);
  const wallet = walletBudget(order.accountId);
  const lines: BookLine[] = [{ id: `chargeback:${id}`, kind: 'chargeback', debit: wallet, credit, amount, note }];
  if (vat > 0n)
    lines.push({ id: `chargeback-vat:${id}`, kind: 'chargeback', debit: 'disputes', credit, amount: vat, note });
  if (fee > 0n)
    lines.push({ id: `chargeback-fee:${id}`, kind: 'fee', debit: 'gateway-fees', credit, amount: fee, note });
  return {
    id: `chargeback:${id}`,
    kind: 'dispute',
    number: id,
    party: order.accountId,
    note,
    createdBy: 'gateway',
    lines,
  };
}

/** Reverses the first two lines, and books what the gateway returned of its fee. */
export function disputeWonEntry(order: Order, { id, amount, vat, fee }: Disputed): NewDocument {
  const note = disputeNote(order, id);
  const debit = bookOfMoney(order);
  const wallet = walletBudget(order.accountId);
  const lines: BookLine[] = [{ id: `chargeback-won:${id}`, kind: 'chargeback', debit, credit: wallet, amount, note }];
  if (vat > 0n)
    lines.push({ id: `chargeback-won-vat:${id}`, kind: 'chargeback', debit, credit: 'disputes', amount: vat, note });
  if (fee > 0n)
    lines.push({ id: `chargeback-won-fee:${id}`, kind: 'fee', debit, credit: 'gateway-fees', amount: fee, note });
  const reverses = `chargeback:${id}`;
  return {
    id: `chargeback-won:${id}`,
    kind: 'dispute',
    number: id,
    party: order.accountId,
    note,
    createdBy: 'gateway',
    reverses,
    lines,
  };
}

/** The note by which the cut-over finds the gateway of a dispute that 0.1.0 booked. */
function disputeNote({ gateway }: Order, id: string): string {
  return `${gateway} dispute ${id}`;
}

/** Converts `units` that a gateway collected for an order into toman, at the rate that was fixed in the order. */
export function tomanOfUnits(
  { amount, vat, payable }: Pick<Order, 'amount' | 'vat' | 'payable'>,
  units: bigint,
): Money {
  return money(((amount + vat) * units) / payable.units);
}
