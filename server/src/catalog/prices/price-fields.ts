/** The names of prices in files, in the operator's API and in GET /models, and the bucket each one prices. */
import type { PRICE_FIELDS as PRICE_FORM } from '@dargah/core/fields/index.ts';
import type { Price, UnitPrices } from '../../core/price.ts';
import type { Bucket } from '../../core/usage.ts';
import { type TermsText, termsFromText, termsToText } from './price-terms.ts';

export const BUCKET_OF_FIELD = {
  input: 'inputFresh',
  output: 'output',
  cache_read: 'cacheRead',
  cache_write_5m: 'cacheWrite5m',
  cache_write_1h: 'cacheWrite1h',
  reasoning: 'reasoning',
  audio_input: 'audioInput',
  audio_cache_read: 'audioCacheRead',
  audio_output: 'audioOutput',
  image_input: 'imageInput',
  image_output: 'imageOutput',
  images: 'images',
  characters: 'characters',
  seconds: 'seconds',
  searches: 'searches',
  web_search: 'webSearches',
  web_fetch: 'webFetches',
  file_search: 'fileSearches',
  code_session: 'codeSessions',
  image_tool_input: 'imageToolInput',
  image_tool_output: 'imageToolOutput',
} as const satisfies Record<Exclude<keyof typeof PRICE_FORM, 'request'>, Bucket>;

export type PriceField = keyof typeof BUCKET_OF_FIELD;
export const PRICE_FIELD_NAMES = Object.keys(BUCKET_OF_FIELD) as PriceField[];
/** Beside the per-unit prices: toman for each request. */
export const REQUEST_FIELD = 'request';

/** A price before it has a version. */
export type Rates = Omit<Price, 'version'>;

/** Largest price read from text: 10^15 toman per million, far above any bound, so that bigint text stays short. */
const PER_MILLION = /^\d{1,15}$/;

/**
 * Toman per million units = micro-toman per unit, as a whole number; decimals are accepted only when they are whole
 * (`1500.0`). A fraction of a micro-toman per token has no exact cost, so it is refused instead of rounded.
 */
export function parsePerMillion(value: string | number): bigint | undefined {
  const text = String(value).replace(/\.0+$/, '');
  return PER_MILLION.test(text) ? BigInt(text) : undefined;
}

/** Decimal text per field, so that no JSON reader turns it into a float. */
export type UnitTexts = { [field in PriceField]?: string };

export interface TierText {
  above: number;
  per_unit: UnitTexts;
}

/** Rates as the database keeps them. */
export interface RatesText {
  per_unit: UnitTexts;
  per_request: string | bigint;
  tiers?: TierText[];
  /** Service tiers and prices by picture; absent where there are none. */
  terms?: TermsText | null;
}

export function ratesToText(rates: Rates): RatesText & { tiers: TierText[] } {
  const { perUnit, perRequest, tiers = [] } = rates;
  const terms = termsToText(rates);
  return {
    per_unit: unitTexts(perUnit),
    per_request: perRequest.toString(),
    tiers: tiers.map((tier) => ({ above: tier.above, per_unit: unitTexts(tier.perUnit) })),
    ...(terms && { terms }),
  };
}

export function ratesFromText({ per_unit: perUnit, per_request: perRequest, tiers, terms }: RatesText): Rates {
  const rates: Rates = { perUnit: unitPrices(perUnit), perRequest: BigInt(perRequest) };
  if (tiers !== undefined && tiers.length > 0)
    rates.tiers = tiers.map((tier) => ({ above: tier.above, perUnit: unitPrices(tier.per_unit) }));
  return terms ? { ...rates, ...termsFromText(terms) } : rates;
}

function unitTexts(prices: UnitPrices): UnitTexts {
  const texts: UnitTexts = {};
  for (const field of PRICE_FIELD_NAMES) {
    const value = prices[BUCKET_OF_FIELD[field]];
    if (value !== undefined) texts[field] = value.toString();
  }
  return texts;
}

function unitPrices(texts: UnitTexts): UnitPrices {
  const prices: UnitPrices = {};
  for (const field of PRICE_FIELD_NAMES) {
    const text = texts[field];
    if (text !== undefined) prices[BUCKET_OF_FIELD[field]] = BigInt(text);
  }
  return prices;
}

export function sameRates(a: Rates, b: Rates): boolean {
  return JSON.stringify(ratesToText(a)) === JSON.stringify(ratesToText(b));
}
