/**
 * Orders for staff: every filter, newest first or by amount. A filter without an index is answered by a walk in steps.
 */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { invalidRequest } from '../core/errors.ts';
import { refuseCursor } from '../keys/index.ts';
import { cutPage, type Filtered, listReasons, noFilter, reportOn, TimedList, type Walked } from '../lists/index.ts';
import { adder } from '../platform/db/conditions.ts';
import type { Database } from '../platform/db/index.ts';
import type { Order } from './order.ts';
import { ORDER_COLUMNS, ORDERS_NAMED, type OrderFilter, type OrderRow, stuckBefore, toOrder } from './order-rows.ts';
import { NOT_SETTLED } from './settled-orders.ts';

export interface WideOrderFilter extends OrderFilter {
  from?: number | undefined;
  to?: number | undefined;
  /** Micro-toman of what the wallet gets. */
  sumFrom?: bigint | undefined;
  sumTo?: bigint | undefined;
  refunded?: boolean | undefined;
  /** Only orders whose money the gateway has and has not settled. */
  notSettled?: boolean | undefined;
  /** Only transfers whose customer sent a receipt and that staff have not decided yet. */
  receiptWaits?: boolean | undefined;
  /** The order's id, the gateway's number, the receipt's number, or the last four digits of a card. */
  words?: string | undefined;
}

export interface OrderPlace {
  after: string | null;
  limit: number;
  sort: 'newest' | 'sum';
  use: 'list' | 'job';
}

const SORTED_WITHIN_MS = 31 * DAY_MS;
/** The last digits of a card. */
const LAST_FOUR = /^\d{4}$/;

export class OrderList {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #list: TimedList<OrderRow, Order>;

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
    this.#list = new TimedList<OrderRow, Order>(
      { db, clock },
      {
        table: 'payment_order',
        columns: ORDER_COLUMNS,
        time: 'created_at',
        read: toOrder,
        place: ({ createdAt, id }) => ({ time: createdAt, id }),
      },
    );
  }

  async page(filter: WideOrderFilter, place: OrderPlace): Promise<Walked<Order>> {
    const ids = await this.#named(filter, place.use);
    return place.sort === 'sum' ? this.#bySum(filter, ids, place) : this.#list.page(conditionsOf(filter, ids), place);
  }

  async count(filter: WideOrderFilter, max: number): Promise<number | null> {
    return this.#list.count(conditionsOf(filter, await this.#named(filter, 'list')), max);
  }

  /** Orders with this number are found first: each of the three columns has an index, and the results are few. */
  async #named({ words }: WideOrderFilter, use: OrderPlace['use']): Promise<string[] | undefined> {
    if (words === undefined || LAST_FOUR.test(words)) return undefined;
    const begins = `${words.replace(/[\\%_]/g, '\\$&')}%`;
    const rows = await reportOn(this.#db, use, (tx) => ORDERS_NAMED.rows(tx, [words, begins]));
    return rows.map(({ id }) => id);
  }

  /** Reads all orders of at most a month. */
  async #bySum(
    filter: WideOrderFilter,
    ids: string[] | undefined,
    { after, limit, use }: OrderPlace,
  ): Promise<Walked<Order>> {
    const to = filter.to ?? this.#clock.now() + DAY_MS;
    const from = filter.from ?? to - SORTED_WITHIN_MS;
    if (to - from > SORTED_WITHIN_MS) throw invalidRequest('sort', listReasons.sortNeedsRange(31));
    const { indexed, others } = conditionsOf({ ...filter, from, to }, ids);
    const conditions = [indexed, others];
    if (after !== null) {
      const [, sum = '', id = ''] = /^(\d{1,38}):(\w{1,64})$/.exec(after) ?? refuseCursor();
      conditions.push({ parts: ['(amount, id) < (§::numeric, §)'], values: [sum, id] });
    }
    const order = 'amount desc, id desc';
    const rows = await reportOn(this.#db, use, (tx) => this.#list.rows(tx, conditions, limit + 1, order));
    return cutPage(rows, limit, ({ amount, id }) => `${amount}:${id}`);
  }
}

/** One of account, state and gateway is answered by its index; other conditions are checked row by row. */
function conditionsOf(filter: WideOrderFilter, ids: string[] | undefined): Filtered {
  const { indexed, others } = noFilter();
  const [byIndex, byLook] = [adder(indexed), adder(others)];
  const { accountId, gateway, words, receiptWaits } = filter;
  // A receipt can only be decided while its order waits.
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
