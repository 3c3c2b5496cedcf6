/** An order, and how its row of `payment_order` becomes one. */
import { type Money, money } from '../core/money.ts';
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

export interface OrderRow {
  id: string;
  account_id: string;
  gateway: string;
  amount: string;
  vat: string;
  units: string;
  unit: string;
  rate: string | null;
  state: OrderState;
  external_id: string | null;
  redirect_url: string | null;
  reference: string | null;
  card: string | null;
  problem: string | null;
  created_by: string;
  language: string;
  checks: number;
  expires_at: Date;
  created_at: Date;
  updated_at: Date;
  refund_number: number;
  refund_state: RefundState | null;
  refund_tries: number;
  refund_code: string | null;
  refund_reference: string | null;
  refund_began_at: Date | null;
  bank: string | null;
  fee: string | null;
  refund_from: string | null;
  taken_in_parts: string;
  part_waits: boolean;
}

export const COLUMNS = `id, account_id, gateway, amount::text as amount, vat::text as vat, units::text as units, unit, rate::text as rate, state,
  external_id, redirect_url, reference, card, problem, created_by, language, checks, expires_at, created_at, updated_at,
  refund_number, refund_state, refund_tries, refund_code, refund_reference, refund_began_at, bank, fee::text as fee, refund_from,
  (select coalesce(sum(part.amount), 0)::text from payment_refund part where part.order_id = id and part.state <> 'undone') as taken_in_parts,
  exists (select from payment_refund part where part.order_id = id and part.state in ('refused', 'unknown')) as part_waits`;

export function toOrder(row: OrderRow): Order {
  return {
    id: row.id,
    accountId: row.account_id,
    gateway: row.gateway,
    amount: money(BigInt(row.amount)),
    vat: money(BigInt(row.vat)),
    payable: payableOf(row),
    state: row.state,
    externalId: row.external_id,
    redirectUrl: row.redirect_url,
    reference: row.reference,
    card: row.card,
    problem: row.problem,
    createdBy: row.created_by,
    language: row.language === 'en' ? 'en' : 'fa',
    checks: row.checks,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    refunds: row.refund_number,
    refund: refundOf(row),
    bank: row.bank,
    fee: row.fee === null ? null : money(BigInt(row.fee)),
    refundFrom: row.refund_from,
    takenInParts: money(BigInt(row.taken_in_parts)),
    partWaits: row.part_waits,
  };
}

function payableOf({ units, unit, rate }: OrderRow): Payable {
  return { units: BigInt(units), unit, ...(rate === null ? {} : { rate: money(BigInt(rate)) }) };
}

function refundOf(row: OrderRow): OrderRefund | null {
  const { refund_state: state, refund_began_at: beganAt, refund_tries: tries, refund_code: code } = row;
  if (state === null || beganAt === null) return null;
  return { state, tries, code, reference: row.refund_reference, beganAt };
}
