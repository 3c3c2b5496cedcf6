/** An order, and how it is read from its row of `payment_order`. */
import type { Money } from '../core/money.ts';
import type { Payable } from './amounts.ts';
import type { OrderState } from './order-states.ts';

/** `sending`: the gateway is asked until it answers. `refused` and `unknown` wait for staff. */
export type RefundState = 'sending' | 'sent' | 'refused' | 'unknown';

/** What became of the money of an order whose credit was taken back. */
export interface OrderRefund {
  state: RefundState;
  /** How many calls to the gateway were begun. */
  tries: number;
  /** The gateway's last answer. */
  code: string | null;
  /** The gateway's name for the refund, or the bank's number. */
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
  /** How many refunds were begun; the present one has the last number. */
  refunds: number;
  refund: OrderRefund | null;
  /** For a bank transfer: the account of ours that received the money. */
  bank: string | null;
  /** What the gateway keeps of the payment at our cost; null where it did not say. */
  fee: Money | null;
  /** The book that the money of the present refund leaves; null for those that 0.1.0 began. */
  refundFrom: string | null;
  /** Credit that partial refunds have taken back, and whether one of them waits for staff. */
  takenInParts: Money;
  partWaits: boolean;
}
