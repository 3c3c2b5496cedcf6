/** `service_tiers` and `image_grid` of a price, in toman or in the currency of a list. */
import { SERVICE_TIERS } from '@dargah/core/catalog-terms.ts';
import type { PictureText, TermsText } from '../prices/price-terms.ts';
import { parseFactor } from '../prices/price-terms.ts';
import type { Fields } from './fields.ts';
import { mistakes } from './mistakes.ts';

const MAX_PICTURES = 60;
const WORD = /^[a-z0-9][a-z0-9_.:-]{0,31}$/;

/** `readPrice` reads the price of one kind of picture, in whatever currency the rest of the price is. */
export function readPriceTerms(
  fields: Fields,
  readPrice: (fields: Fields, name: string) => string | undefined,
): TermsText {
  const tiers = readFactors(fields.child('service_tiers'));
  const grid = fields.children('image_grid').flatMap((section) => readPicture(section, readPrice));
  if (grid.length > MAX_PICTURES) fields.mistake('image_grid', mistakes.tooMany(MAX_PICTURES));
  const kinds = grid.map(({ size = '', quality = '' }) => `${size} ${quality}`);
  if (new Set(kinds).size < kinds.length) fields.mistake('image_grid', mistakes.pictureTwice);
  return { ...(tiers && { service_tiers: tiers }), ...(grid.length > 0 && { image_grid: grid }) };
}

function readFactors(fields: Fields | undefined): TermsText['service_tiers'] {
  if (!fields) return undefined;
  const factors: NonNullable<TermsText['service_tiers']> = {};
  for (const tier of SERVICE_TIERS) {
    const value = fields.raw(tier);
    if (value === undefined) continue;
    const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
    if (parseFactor(text) === undefined) fields.mistake(tier, mistakes.factor(value));
    else factors[tier] = text;
  }
  fields.finish();
  return Object.keys(factors).length > 0 ? factors : undefined;
}

function readPicture(fields: Fields, readPrice: (fields: Fields, name: string) => string | undefined): PictureText[] {
  const size = readWord(fields, 'size');
  const quality = readWord(fields, 'quality');
  const price = fields.need('price') ? readPrice(fields, 'price') : undefined;
  fields.finish();
  if (price === undefined) return [];
  return [{ ...(size !== undefined && { size }), ...(quality !== undefined && { quality }), price }];
}

function readWord(fields: Fields, name: string): string | undefined {
  const text = fields.text(name);
  return text === undefined || WORD.test(text) ? text : fields.mistake(name, mistakes.pictureWord);
}
