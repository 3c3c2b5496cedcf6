/** One act by hand, as it is asked for, kept while it waits, and turned into the document of the books. */
import type { CreditKind, HandKind } from '@dargah/core/hand-kinds.ts';
import type { JsonObject } from '../core/json.ts';
import { type Money, money } from '../core/money.ts';
import { walletBudget } from '../keys/index.ts';
import type { BookLine, NewDocument } from '../ledger/index.ts';

export interface HandAct {
  kind: Exclude<HandKind, 'gift-codes' | 'matched'>;
  /** What makes it one act: its first transfer, the receipt's number, or the order. The same again changes nothing. */
  id: string;
  accountId: string;
  /** Positive into the wallet. */
  amount: Money;
  /** Of the paper. */
  number: string | null;
  /** Read by staff alone, and by the customer. */
  note: string | null;
  publicNote: string | null;
  requestId: string | null;
  ticketId: string | null;
  /** Of a correction. */
  reason: string | null;
  /** Of a gift; the day is the last one on which it can be used. */
  campaign: string | null;
  lastDay: string | null;
  /** Of money that came or went: which account of ours, on which day, from whom, and for which order. */
  bank: string | null;
  datedOn: string | null;
  payer: string | null;
  orderId: string | null;
}

const NOTHING = {
  number: null,
  note: null,
  publicNote: null,
  requestId: null,
  ticketId: null,
  reason: null,
  campaign: null,
  lastDay: null,
  bank: null,
  datedOn: null,
  payer: null,
  orderId: null,
};

type ActInput = Pick<HandAct, 'kind' | 'id' | 'accountId' | 'amount'> & Partial<HandAct>;

export function handAct(given: ActInput): HandAct {
  return { ...NOTHING, ...given };
}

export function payloadOf(act: HandAct): JsonObject {
  return { ...act, amount: String(act.amount) };
}

/** What `payloadOf` wrote; nobody else writes it. */
export function actOf(payload: JsonObject): HandAct {
  const act = payload as unknown as Omit<HandAct, 'amount'> & { amount: string };
  return { ...act, amount: money(BigInt(act.amount)) };
}

/** The books against the wallet, and the kind that the books and the customer see. */
const BOOKED: Readonly<Record<Exclude<CreditKind, 'receipt'>, { against: string; kind: BookLine['kind'] }>> = {
  correction: { against: 'corrections', kind: 'adjustment' },
  gift: { against: 'promotions', kind: 'gift' },
  'request-refund': { against: 'revenue', kind: 'refund' },
  'bad-debt': { against: 'bad-debt', kind: 'bad-debt' },
};

/** The document of an act that moves between a wallet and a book of ours; a receipt is an order and has its own. */
export function documentOf(
  act: HandAct & { kind: keyof typeof BOOKED },
  by: { createdBy: string; approvedBy?: string | undefined },
): NewDocument {
  const { id, amount, accountId, publicNote, requestId, number, note, kind } = act;
  const { against, kind: lineKind } = BOOKED[kind];
  const wallet = walletBudget(accountId);
  const legs =
    amount > 0n
      ? { debit: against, credit: wallet, amount }
      : { debit: wallet, credit: against, amount: money(-amount) };
  const line: BookLine = {
    id,
    kind: lineKind,
    ...legs,
    note: publicNote ?? undefined,
    requestId: requestId ?? undefined,
  };
  return { ...by, id, kind, number, party: accountId, note: note ?? undefined, lines: [line] };
}
