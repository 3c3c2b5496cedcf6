/** The prices a model had, for everybody to see. Who set them and what they cost us is not among it. */
import type { Price } from '../../core/price.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { pricesOf } from '../rows.ts';
import { ratesFromText, sameRates } from './price-fields.ts';

export interface PastPrice {
  price: Price;
  fromMs: number;
}

const MAX = 200;

/** Oldest first, announced ones included; versions that changed nothing are left out. */
export async function priceHistory(db: Queryable, modelId: string): Promise<PastPrice[]> {
  const rows = (await pricesOf(db, modelId, MAX)).reverse();
  const prices = rows.map((row) => ({
    price: { version: row.version, ...ratesFromText(row) },
    fromMs: row.effective_at.getTime(),
  }));
  return prices.filter(({ price }, at) => {
    const before = prices[at - 1];
    return before === undefined || !sameRates(before.price, price);
  });
}
