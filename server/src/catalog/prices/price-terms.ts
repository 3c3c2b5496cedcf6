/** The terms of a price beside its units: service tiers as factors, and pictures by size and quality. */
import { SERVICE_TIERS, type ServiceTier } from '@dargah/core/catalog-terms.ts';
import type { PicturePrice, Price, ServiceFactors } from '../../core/price.ts';
import { withoutTrailing } from '../../core/trailing.ts';

export type SoldTerms = Pick<Price, 'serviceTiers' | 'pictures'>;

/** The form in the database, in files and in the API. */
export type TermsText = {
  /** Decimal text: 2 is twice the normal price. */
  service_tiers?: { [tier in ServiceTier]?: string };
  /** `price` is per million, as that of `images`. */
  image_grid?: PictureText[];
};

export type PictureText = { size?: string; quality?: string; price: string };

/** At most a hundred times the normal price; three decimals, so that a factor is a whole number of thousandths. */
const FACTOR = /^\d{1,2}(?:\.\d{1,3})?$/;

/** Undefined for what is not a factor. Zero is refused, because it would give tokens away. */
export function parseFactor(text: string): bigint | undefined {
  if (!FACTOR.test(text)) return undefined;
  const [whole = '0', decimals = ''] = text.split('.');
  const thousandths = BigInt(whole + decimals.padEnd(3, '0'));
  return thousandths > 0n ? thousandths : undefined;
}

export function factorText(factor: bigint): string {
  const digits = factor.toString().padStart(4, '0');
  const decimals = withoutTrailing(digits.slice(-3), '0');
  return decimals === '' ? digits.slice(0, -3) : `${digits.slice(0, -3)}.${decimals}`;
}

export function termsToText({ serviceTiers, pictures }: SoldTerms): TermsText | undefined {
  if (!serviceTiers && !pictures) return undefined;
  return {
    ...(serviceTiers && { service_tiers: factorTexts(serviceTiers) }),
    ...(pictures && { image_grid: pictures.map(({ each, ...kind }) => ({ ...kind, price: each.toString() })) }),
  };
}

function factorTexts(factors: ServiceFactors): NonNullable<TermsText['service_tiers']> {
  const texts: TermsText['service_tiers'] = {};
  for (const tier of SERVICE_TIERS) {
    const factor = factors[tier];
    if (factor !== undefined) texts[tier] = factorText(factor);
  }
  return texts;
}

export function termsFromText({ service_tiers: tiers, image_grid: grid }: TermsText): SoldTerms {
  return {
    ...(tiers && { serviceTiers: factorsOf(tiers) }),
    ...(grid && { pictures: grid.map(pictureOf) }),
  };
}

export function factorsOf(texts: NonNullable<TermsText['service_tiers']>): ServiceFactors {
  const factors: ServiceFactors = {};
  for (const tier of SERVICE_TIERS) {
    const factor = texts[tier] === undefined ? undefined : parseFactor(texts[tier]);
    if (factor !== undefined) factors[tier] = factor;
  }
  return factors;
}

function pictureOf({ size, quality, price }: PictureText): PicturePrice {
  return { ...(size !== undefined && { size }), ...(quality !== undefined && { quality }), each: BigInt(price) };
}
