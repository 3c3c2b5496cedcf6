/** The names of prices in files, in the operator's API and in GET /models, and the bucket each one prices. */
import type { PRICE_FIELDS as PRICE_FORM } from '../core/fields/index.ts';
import type { Price } from '../core/price.ts';
import type { Bucket } from '../core/usage.ts';

export const PRICE_FIELDS = {
  input: 'inputFresh',
  output: 'output',
  cache_read: 'cacheRead',
  cache_write_5m: 'cacheWrite5m',
  cache_write_1h: 'cacheWrite1h',
  reasoning: 'reasoning',
  audio_input: 'audioInput',
  audio_output: 'audioOutput',
  image_input: 'imageInput',
  images: 'images',
  characters: 'characters',
  seconds: 'seconds',
} as const satisfies Record<Exclude<keyof typeof PRICE_FORM, 'request'>, Bucket>;

export type PriceField = keyof typeof PRICE_FIELDS;
export const PRICE_FIELD_NAMES = Object.keys(PRICE_FIELDS) as PriceField[];
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

/** As kept in the database: decimal text per field, so that no JSON reader turns it into a float. */
export function ratesToText(rates: Rates): Record<string, string> {
  const text: Record<string, string> = {};
  for (const field of PRICE_FIELD_NAMES) {
    const value = rates.perUnit[PRICE_FIELDS[field]];
    if (value !== undefined) text[field] = value.toString();
  }
  return text;
}

export function ratesFromText(perUnit: Record<string, string>, perRequest: bigint): Rates {
  const rates: Rates = { perUnit: {}, perRequest };
  for (const field of PRICE_FIELD_NAMES) {
    const text = perUnit[field];
    if (text !== undefined) rates.perUnit[PRICE_FIELDS[field]] = BigInt(text);
  }
  return rates;
}

export function sameRates(a: Rates, b: Rates): boolean {
  return a.perRequest === b.perRequest && PRICE_FIELD_NAMES.every((field) => sameField(a, b, PRICE_FIELDS[field]));
}

function sameField(a: Rates, b: Rates, bucket: Bucket): boolean {
  return a.perUnit[bucket] === b.perUnit[bucket];
}
