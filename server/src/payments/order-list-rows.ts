/** What the list of orders reads, and the conditions that its filter becomes. */
import { type Filtered, listedTable, noFilter } from '../lists/index.ts';
import { adder, type Conditions } from '../platform/db/conditions.ts';
import { type OrderFilter, orderRow, stuckBefore } from './order-rows.ts';
import { NOT_SETTLED } from './settled-orders-sql.ts';

export interface WideOrderFilter extends OrderFilter {
  from?: number | undefined;
  to?: number | undefined;
  /** Micro-toman, of what the wallet gets. */
  sumFrom?: bigint | undefined;
  sumTo?: bigint | undefined;
  refunded?: boolean | undefined;
  /** Only what the gateway was paid and has not settled. */
  notSettled?: boolean | undefined;
  /** Only transfers whose customer sent a receipt, and that staff did not decide yet. */
  receiptWaits?: boolean | undefined;
  /** The order, the gateway's number, the receipt, or the last four digits of a card. */
  words?: string | undefined;
}

/** One of account, state and gateway leads through its index; the others are looked at row by row. */
export function conditionsOfOrders(filter: WideOrderFilter, ids: string[] | undefined): Filtered {
  const { indexed, others } = noFilter();
  const [byIndex, byLook] = [adder(indexed), adder(others)];
  const { accountId, gateway, words, receiptWaits } = filter;
  // A receipt is taken only while its order waits.
  const state = filter.state ?? (receiptWaits ? 'sent' : undefined);
  const leading = accountId !== undefined ? 'account' : state !== undefined ? 'state' : 'gateway';
  (leading === 'account' ? byIndex : byLook)('account_id = ?', accountId);
  (leading === 'state' ? byIndex : byLook)('state = ?', state);
  (leading === 'gateway' ? byIndex : byLook)('gateway = ?', gateway);
  byIndex('created_at >= ?', filter.from === undefined ? undefined : new Date(filter.from));
  byIndex('created_at < ?', filter.to === undefined ? undefined : new Date(filter.to));
  byLook('amount >= ?::numeric', filter.sumFrom?.toString());
  byLook('amount <= ?::numeric', filter.sumTo?.toString());
  if (filter.refunded)
    others.parts.push(
      `(state = 'refunded' or exists (select from payment_refund part where part.order_id = payment_order.id and part.state <> 'undone'))`,
    );
  if (filter.notSettled) others.parts.push(NOT_SETTLED);
  if (receiptWaits)
    others.parts.push(
      `gateway = 'bank-transfer' and state = 'sent' and exists (select from transfer_receipt sent where sent.order_id = payment_order.id)`,
    );
  if (filter.stuck) others.parts.push(stuckBefore(`now() - interval '15 minutes'`));
  byIndex('id = any(?::text[])', ids);
  if (words !== undefined && ids === undefined) byLook('card like ?', `%${words}`);
  return { indexed, others };
}

/** Orders of a smaller sum than this one, or of the same and older. */
export function belowSum(sum: string, id: string): Conditions {
  return { parts: ['(amount, id) < (§::numeric, §)'], values: [sum, id] };
}

const everything = conditionsOfOrders(
  {
    accountId: '',
    state: 'sent',
    gateway: '',
    from: 0,
    to: 0,
    sumFrom: 0n,
    sumTo: 0n,
    refunded: true,
    notSettled: true,
    receiptWaits: true,
    stuck: true,
    words: '1234',
  },
  undefined,
);

export const LISTED_ORDERS = listedTable(
  { table: 'payment_order', time: 'created_at', row: orderRow },
  everything,
  conditionsOfOrders({}, ['']),
  { ...noFilter(), indexed: belowSum('0', '') },
);
