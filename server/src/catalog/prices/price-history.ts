/** The prices that a model had, for everybody. Who set them and what they cost us is left out. */
import type { Price } from '../../core/price.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { priceBy } from './account-price.ts';
import { ratesFromText, sameRates } from './price-fields.ts';
import { type PriceChangeRow, pricesOf, selectPriceChanges } from './price-rows.ts';

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

export interface PriceChange extends PastPrice {
  modelId: string;
  /** undefined for the first price of a model. */
  before: Price | undefined;
}

export interface PriceQuestion {
  models: readonly string[];
  sinceMs: number;
  limit: number;
  /** The account's own margin, which it pays on what follows a list price. */
  margin?: string | null | undefined;
}

/** Changes of the prices of these models, newest first, at what an account with this margin pays. */
export async function priceChanges(db: Queryable, question: PriceQuestion): Promise<PriceChange[]> {
  const rows = await selectPriceChanges(db, question);
  return rows.map((row) => ({
    modelId: row.model_id,
    price: paidBy(row, question.margin),
    before: row.before === null ? undefined : { version: '', ...ratesFromText(row.before) },
    fromMs: row.effective_at.getTime(),
  }));
}

function paidBy(row: PriceChangeRow, margin: string | null | undefined): Price {
  const price = { version: row.version, ...ratesFromText(row) };
  if (margin === undefined || margin === null || row.list === null || row.exchange_rate === null) return price;
  return priceBy(price, { usd: row.list, exchangeRate: row.exchange_rate }, margin);
}
