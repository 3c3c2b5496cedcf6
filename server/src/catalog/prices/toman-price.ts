/**
 * The only place where USD list prices become toman: decimal text × exchange rate × (1 + margin), as exact fractions in
 * bigint. The one rounding (up, to a whole micro-toman per unit) happens when a price row is made; every charge after
 * that is a product of whole numbers.
 */
import type { UnitPrices } from '../../core/price.ts';
import { withoutTrailing } from '../../core/trailing.ts';
import { BUCKET_OF_FIELD, type PriceField, type Rates } from './price-fields.ts';
import { factorsOf, type TermsText } from './price-terms.ts';

/** Decimal text: USD per million units by price field, and USD per request. */
export type UsdPrice = Partial<Record<PriceField | 'request', string>> & { tiers?: UsdTier[] } & TermsText;

export interface UsdTier {
  /** Prompt tokens. */
  above: number;
  usd: Partial<Record<PriceField, string>>;
}

export interface ExchangeTerms {
  /** Toman per USD, decimal text. */
  exchangeRate: string;
  /** 0.10 = ten percent on top, decimal text. */
  margin: string;
}

interface Fraction {
  numerator: bigint;
  /** A power of ten. */
  denominator: bigint;
}

const MICRO = 1_000_000n;

/** Accepts plain decimals only: `1e5`, signs and spaces are mistakes in a price. */
export function isDecimalText(text: string): boolean {
  return /^\d{1,18}(\.\d{1,18})?$/.test(text);
}

function fraction(text: string): Fraction {
  if (!isDecimalText(text)) throw new RangeError(`not a plain decimal: "${text}"`);
  const [whole, decimals = ''] = text.split('.') as [string, string?];
  return { numerator: BigInt(whole + decimals), denominator: 10n ** BigInt(decimals.length) };
}

function multiply(a: Fraction, b: Fraction): Fraction {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator };
}

function roundUp({ numerator, denominator }: Fraction): bigint {
  return (numerator + denominator - 1n) / denominator;
}

/** Exact, whatever the number of decimals. */
export function timesDecimal(a: string, b: string): string {
  const { numerator, denominator } = multiply(fraction(a), fraction(b));
  const decimals = denominator.toString().length - 1;
  const digits = numerator.toString().padStart(decimals + 1, '0');
  if (decimals === 0) return digits;
  const fractionText = withoutTrailing(digits.slice(-decimals), '0');
  return fractionText === '' ? digits.slice(0, -decimals) : `${digits.slice(0, -decimals)}.${fractionText}`;
}

/** Toman for one USD, margin included. */
function tomanPerUsd(terms: ExchangeTerms): Fraction {
  const margin = fraction(terms.margin);
  const onTop = { numerator: margin.denominator + margin.numerator, denominator: margin.denominator };
  return multiply(fraction(terms.exchangeRate), onTop);
}

/** USD per million units → micro-toman per unit (the same number as toman per million units), rounded up. */
export function microTomanPerUnit(usdPerMillion: string, terms: ExchangeTerms): bigint {
  return roundUp(multiply(fraction(usdPerMillion), tomanPerUsd(terms)));
}

export function microTomanPerRequest(usd: string, terms: ExchangeTerms): bigint {
  const { numerator, denominator } = multiply(fraction(usd), tomanPerUsd(terms));
  return roundUp({ numerator: numerator * MICRO, denominator });
}

export function ratesFromUsd(usd: UsdPrice, terms: ExchangeTerms): Rates {
  const { tiers = [], request, service_tiers: factors, image_grid: grid, ...units } = usd;
  const perRequest = request === undefined ? 0n : microTomanPerRequest(request, terms);
  const rates: Rates = { perUnit: unitPrices(units, terms), perRequest };
  if (tiers.length > 0)
    rates.tiers = tiers.map((tier) => ({ above: tier.above, perUnit: unitPrices(tier.usd, terms) }));
  if (factors) rates.serviceTiers = factorsOf(factors);
  if (grid) rates.pictures = grid.map(({ price, ...kind }) => ({ ...kind, each: microTomanPerUnit(price, terms) }));
  return rates;
}

function unitPrices(usd: Partial<Record<PriceField, string>>, terms: ExchangeTerms): UnitPrices {
  const prices: UnitPrices = {};
  for (const [field, text] of Object.entries(usd))
    prices[BUCKET_OF_FIELD[field as PriceField]] = microTomanPerUnit(text, terms);
  return prices;
}
