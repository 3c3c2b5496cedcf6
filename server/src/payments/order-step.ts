/** Where an order stands for its customer: one word, from which pages choose what to say. */
import type { Order } from './order.ts';
import { REJECTED } from './transfer-receipts.ts';

/**
 * `pay`: at the gateway. `transfer`: send the money to the bank account, then the receipt. `review`: staff look for it.
 * `check`: we ask the gateway. `credit`: paid, being added. `rejected`: staff did not find the money. `differs`: what was paid is
 * another amount. `refunding`: the credit was taken, the money is on its way.
 */
export type OrderStep =
  | 'pay'
  | 'transfer'
  | 'review'
  | 'check'
  | 'credit'
  | 'credited'
  | 'rejected'
  | 'differs'
  | 'failed'
  | 'expired'
  | 'refunding'
  | 'refunded';

export function orderStepOf({ state, gateway, problem, refund }: Order, hasReceipt: boolean): OrderStep {
  switch (state) {
    case 'created':
    case 'sent':
      if (gateway !== 'bank-transfer') return 'pay';
      return hasReceipt ? 'review' : 'transfer';
    case 'returned':
      return 'check';
    case 'paid':
      return 'credit';
    case 'failed':
      if (problem?.startsWith(REJECTED)) return 'rejected';
      return problem?.startsWith('differs:') ? 'differs' : 'failed';
    case 'refunded':
      return refund === null || refund.state === 'sent' ? 'refunded' : 'refunding';
    default:
      return state;
  }
}
