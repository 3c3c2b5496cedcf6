/**
 * The interface of a payment gateway. `begin` opens a payment at the gateway; `verify` asks it, server to server, what
 * became of the payment. What a browser or a message brings back only says which payment to ask about.
 */

import type { Text } from '@dargah/core/text.ts';
import type { Money } from '../core/money.ts';
import type { Payable } from './amounts.ts';

export interface OrderToBegin {
  orderId: string;
  payable: Payable;
  /** Where the customer's browser returns to. */
  returnUrl: string;
  /** The page of the order, which changes nothing. */
  resultUrl: string;
  description: string;
  language: 'fa' | 'en';
  mobile?: string;
}

export interface Begun {
  /** The gateway's name for the payment. */
  externalId: string;
  /** Where the customer pays; null where there is no page to go to. */
  redirectUrl: string | null;
}

export interface OrderToVerify {
  orderId: string;
  externalId: string;
  payable: Payable;
}

/**
 * `paid`: the money is there, now or confirmed again. `unpaid`: it is not; `final` when it never will be. `mismatch`:
 * money came, but not what the order says. `unreachable`: nothing was learned, so ask again.
 */
export type PaymentVerdict =
  | {
      kind: 'paid';
      reference: string;
      card?: string | undefined;
      /** What the gateway keeps of the payment at our cost, in the unit of the order; absent where it does not say. */
      fee?: bigint | undefined;
    }
  | { kind: 'pending' }
  | { kind: 'unpaid'; code: string; final: boolean }
  | { kind: 'mismatch'; code: string }
  | { kind: 'unreachable'; code: string };

export interface RefundToSend extends OrderToVerify {
  /** The reference of the payment that is refunded. */
  reference: string;
  /** Our own id: the same refund has the same id in every call. */
  refundId: string;
  /** True when an earlier call may have arrived. */
  again: boolean;
}

/**
 * `sent`: the money is certainly on its way. `pending`: accepted, and may still fail. `refused`: it was not sent and
 * will not be. `unreachable`: nothing was learned, not even whether this call arrived.
 */
export type RefundVerdict =
  | { kind: 'sent'; reference: string }
  | { kind: 'pending'; reference: string }
  | { kind: 'refused'; code: string }
  | { kind: 'unreachable'; code: string };

export interface RefundCall {
  /**
   * True when the gateway sends the money once, however often it is called for one refund. Otherwise only one call may be made.
   */
  readonly repeatable: boolean;
  send(refund: RefundToSend): Promise<RefundVerdict>;
}

/** What a signed message is about. */
export type WebhookSubject =
  | { about: 'payment'; eventId: string; externalId: string }
  | { about: 'dispute'; eventId: string; disputeId: string }
  | { about: 'nothing'; eventId: string };

export interface Dispute {
  id: string;
  /** The reference of the payment it is about. */
  reference: string;
  payable: Payable;
  /** What the gateway has charged for the dispute until now, in the same unit. */
  fee: bigint;
  /** `inquiry`: the card holder's bank asks, and no money has moved. */
  outcome: 'inquiry' | 'open' | 'won' | 'lost';
}

/** A payment that a customer made and that nobody has verified. */
export interface UnverifiedPayment {
  externalId: string;
  /** Where its customer was to return to; '' when the gateway does not say. */
  returnUrl: string;
}

/** One line of what a gateway paid out. */
export interface SettlementLine {
  kind: 'payment' | 'refund' | 'dispute' | 'fee';
  /** The reference of the payment, as `verify` returned it. */
  reference: string | null;
  /** The gateway's own name for the payment, the refund or the dispute. */
  externalId: string | null;
  at: Date;
  text: string | null;
  /** In the unit of the settlement; negative for money that left. */
  gross: bigint;
  fee: bigint;
}

/** One payout of a gateway to us. */
export interface GatewaySettlement {
  id: string;
  paidAt: Date;
  /** The bank's number of the payout. */
  reference: string | null;
  unit: string;
  units: bigint;
  /** Null where the gateway reports only the sum. */
  lines: SettlementLine[] | null;
}

export interface PaymentGateway {
  readonly id: string;
  readonly name: Text;
  /** True when a customer can choose it from the list of gateways. Gift codes are redeemed instead. */
  readonly offered: boolean;
  /** True when money comes through it; gift codes bring none. */
  readonly bringsMoney: boolean;
  readonly minimum: Money;
  readonly maximum: Money;
  /** How long the customer has to pay. */
  readonly timeoutMs: number;
  /** The amount in the gateway's unit, which is then fixed in the order. */
  payable(amount: Money): Payable;
  begin(order: OrderToBegin): Promise<Begun>;
  /** The payment to which a browser returns; undefined when the return names none. */
  readReturn(fields: ReadonlyMap<string, string>): string | undefined;
  verify(order: OrderToVerify): Promise<PaymentVerdict>;
  /** Absent where the gateway keeps no such list. Throws `PaymentUnreachable` when it does not answer. */
  unverified?(): Promise<UnverifiedPayment[]>;
  /** Sends the money back; absent where the gateway has no such call and staff send it by hand. */
  readonly refund?: RefundCall;
  /**
   * What the gateway paid out since then; absent where it has no such list. Throws `PaymentUnreachable` when it does
   * not answer.
   */
  settlements?(since: Date): Promise<GatewaySettlement[]>;
  /** Returns undefined when the signature is not the gateway's. */
  readWebhook?(body: Buffer, headers: Record<string, string | undefined>): WebhookSubject | undefined;
  dispute?(id: string): Promise<Dispute | undefined>;
  /** What the customer must know to pay by hand, such as our account number. */
  readonly instructions?: string;
}

/** The gateway refused; the code is its own. */
export class PaymentRefused extends Error {
  readonly code: string;
  constructor(gateway: string, code: string) {
    super(`${gateway} refused: ${code}`);
    this.code = code;
  }
}

/** The gateway did not answer, or its answer could not be understood. */
export class PaymentUnreachable extends Error {
  readonly code: string;
  constructor(gateway: string, code: string, cause?: unknown) {
    super(`${gateway} is not reachable: ${code}`, { cause });
    this.code = code;
  }
}
