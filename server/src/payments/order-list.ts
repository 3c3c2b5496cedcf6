/**
 * Orders for staff: every filter, newest first or by amount. A filter without an index is answered by a walk in steps.
 */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { invalidRequest } from '../core/errors.ts';
import { refuseCursor } from '../keys/index.ts';
import { cutPage, listReasons, reportOn, TimedList, type Walked } from '../lists/index.ts';
import type { Database } from '../platform/db/index.ts';
import type { Order } from './order.ts';
import { belowSum, conditionsOfOrders, LISTED_ORDERS, type WideOrderFilter } from './order-list-rows.ts';
import { ORDERS_NAMED, type OrderRow, toOrder } from './order-rows.ts';

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
        table: LISTED_ORDERS,
        read: toOrder,
        place: ({ createdAt, id }) => ({ time: createdAt, id }),
      },
    );
  }

  async page(filter: WideOrderFilter, place: OrderPlace): Promise<Walked<Order>> {
    const ids = await this.#named(filter, place.use);
    return place.sort === 'sum'
      ? this.#bySum(filter, ids, place)
      : this.#list.page(conditionsOfOrders(filter, ids), place);
  }

  async count(filter: WideOrderFilter, max: number): Promise<number | null> {
    return this.#list.count(conditionsOfOrders(filter, await this.#named(filter, 'list')), max);
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
    const { indexed, others } = conditionsOfOrders({ ...filter, from, to }, ids);
    const conditions = [indexed, others];
    if (after !== null) {
      const [, sum = '', id = ''] = /^(\d{1,38}):(\w{1,64})$/.exec(after) ?? refuseCursor();
      conditions.push(belowSum(sum, id));
    }
    const order = 'amount desc, id desc';
    const rows = await reportOn(this.#db, use, (tx) => this.#list.rows(tx, conditions, limit + 1, order));
    return cutPage(rows, limit, ({ amount, id }) => `${amount}:${id}`);
  }
}
