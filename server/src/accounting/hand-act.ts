/** One act by hand: as it is requested, as it is stored while it waits, and as the document that is booked. */
import type { CreditKind, HandKind } from '@dargah/core/hand-kinds.ts';
import type { JsonObject } from '../core/json.ts';
import { type Money, money } from '../core/money.ts';
import { walletBudget } from '../keys/index.ts';
import type { BookLine, NewDocument } from '../ledger/index.ts';

export interface HandAct {
  kind: Exclude<HandKind, 'gift-codes' | 'matched'>;
  /**
   * The id that makes an act unique: its first transfer, the receipt's number, or the order. Repeating it changes
   * nothing.
   */
  id: string;
  accountId: string;
  /** Positive when it goes into the wallet. */
  amount: Money;
  /** The number of the paper. */
  number: string | null;
  /** `note` is read by staff alone, the other also by the customer. */
  note: string | null;
  publicNote: string | null;
  requestId: string | null;
  ticketId: string | null;
  /** Why a correction was made. */
  reason: string | null;
  /** The campaign of a gift; the day is the last one on which it can be used. */
  campaign: string | null;
  lastDay: string | null;
  /** For money that came or went: our bank account, the day, the other party, and the order. */
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

export function handAct(input: ActInput): HandAct {
  return { ...NOTHING, ...input };
}

export function payloadOf(act: HandAct): JsonObject {
  return { ...act, amount: String(act.amount) };
}

/** Reads what `payloadOf` wrote; nothing else writes it. */
export function actOf(payload: JsonObject): HandAct {
  const act = payload as unknown as Omit<HandAct, 'amount'> & { amount: string };
  return { ...act, amount: money(BigInt(act.amount)) };
}

/** The book that is moved against the wallet, and the kind that the books and the customer see. */
const BOOKED: Readonly<Record<Exclude<CreditKind, 'receipt'>, { against: string; kind: BookLine['kind'] }>> = {
  correction: { against: 'corrections', kind: 'adjustment' },
  gift: { against: 'promotions', kind: 'gift' },
  'request-refund': { against: 'revenue', kind: 'refund' },
  'bad-debt': { against: 'bad-debt', kind: 'bad-debt' },
};

/**
 * The document of an act that moves money between a wallet and a book of ours. A receipt is an order and has its own
 * document.
 */
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
