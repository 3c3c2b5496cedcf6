/** An order, and how its row of `payment_order` becomes one. */
import type { Money } from '../core/money.ts';
import type { Payable } from './amounts.ts';
import type { OrderState } from './order-states.ts';

/** `sending`: the gateway is asked until it answers. `refused` and `unknown` wait for staff. */
export type RefundState = 'sending' | 'sent' | 'refused' | 'unknown';

/** What became of the money of an order whose credit was taken back. */
export interface OrderRefund {
  state: RefundState;
  /** Calls to the gateway that were begun. */
  tries: number;
  /** What the gateway said last. */
  code: string | null;
  /** The gateway's name for it, or the bank's number. */
  reference: string | null;
  beganAt: Date;
}

export interface Order {
  id: string;
  accountId: string;
  gateway: string;
  amount: Money;
  vat: Money;
  payable: Payable;
  state: OrderState;
  externalId: string | null;
  redirectUrl: string | null;
  reference: string | null;
  card: string | null;
  problem: string | null;
  createdBy: string;
  language: 'fa' | 'en';
  checks: number;
  expiresAt: Date;
  createdAt: Date;
  updatedAt: Date;
  /** How many refunds were begun; the present one bears the last number. */
  refunds: number;
  refund: OrderRefund | null;
  /** Of a bank transfer: which account of ours the money came to. */
  bank: string | null;
  /** What the gateway says it keeps of the payment at our cost; null where it did not say. */
  fee: Money | null;
  /** The book that the money of the present refund leaves; null for those that 0.1.0 began. */
  refundFrom: string | null;
  /** Credit that parts of it have taken back, and whether one of them waits for staff. */
  takenInParts: Money;
  partWaits: boolean;
}
