/**
 * Guards against mistyped prices. A price per token entered as a price per million is a million times too low or too high. What
 * cannot be a real price is refused; what looks odd causes a warning.
 */
import { KIND_FACTS } from '@dargah/core/model-kinds.ts';
import type { UnitPrices } from '../../core/price.ts';
import type { ModelKind } from '../model.ts';
import { BUCKET_OF_FIELD, PRICE_FIELD_NAMES, type PriceField, type Rates, REQUEST_FIELD } from './price-fields.ts';

/** Toman per million units. The most expensive models of today cost a hundredth of this; images and searches are priced by the piece. */
const CEILING: Partial<Record<PriceField, bigint>> = {
  images: 10n ** 13n,
  searches: 10n ** 12n,
  web_search: 10n ** 12n,
  web_fetch: 10n ** 12n,
  file_search: 10n ** 12n,
  code_session: 10n ** 12n,
};
const DEFAULT_CEILING = 10n ** 10n;
/** Micro-toman: a million toman for one request. */
const REQUEST_CEILING = 10n ** 12n;
/** Below this a charge for a long answer would not reach one toman: likelier a price per thousand or per token. */
const ODDLY_LOW = 10n;

interface PriceWarning {
  /** Price field at fault; undefined when it is the price as a whole. */
  field?: PriceField | typeof REQUEST_FIELD;
  message: string;
}

interface PriceFinding extends PriceWarning {
  persian: string;
}

export interface PriceVerdict {
  errors: PriceFinding[];
  warnings: PriceWarning[];
}

export function judgePrice(rates: Rates, kind: ModelKind): PriceVerdict {
  const verdict: PriceVerdict = { errors: [], warnings: [] };
  for (const { perUnit } of [rates, ...(rates.tiers ?? [])])
    for (const field of PRICE_FIELD_NAMES) judgeField(perUnit, field, verdict);
  for (const { each } of rates.pictures ?? []) judgeField({ images: each }, 'images', verdict);
  if (rates.pictures && (rates.perUnit.images ?? 0n) === 0n)
    verdict.errors.push({
      field: 'images',
      message: 'is needed beside image_grid: it is the price of a picture that the grid does not name',
      persian: 'در کنار «image_grid» لازم است: قیمت تصویری است که جدول آن را ندارد',
    });
  if (rates.perRequest < 0n || rates.perRequest > REQUEST_CEILING)
    verdict.errors.push({
      field: REQUEST_FIELD,
      message: 'must be between 0 and 1000000 toman for one request',
      persian: 'باید از ۰ تا ۱٬۰۰۰٬۰۰۰ تومان برای هر درخواست باشد',
    });
  for (const choices of KIND_FACTS[kind].prices) {
    if (choices.some((field) => (rates.perUnit[BUCKET_OF_FIELD[field]] ?? 0n) > 0n)) continue;
    const message = `a ${kind} model needs a price for ${choices.join(' or ')} above 0 (a zero price means unknown, never free)`;
    const persian = `برای مدلی از این گونه قیمت ${choices.map((field) => `«${field}»`).join(' یا ')} باید بیش از صفر باشد (صفر یعنی نامعلوم، نه رایگان)`;
    verdict.errors.push({ message, persian });
  }
  warnAboutProportions(rates, verdict);
  return verdict;
}

function judgeField(prices: UnitPrices, field: PriceField, { errors, warnings }: PriceVerdict): void {
  const value = prices[BUCKET_OF_FIELD[field]];
  if (value === undefined) return;
  const ceiling = CEILING[field] ?? DEFAULT_CEILING;
  if (value < 0n) errors.push({ field, message: 'must not be negative', persian: 'نباید منفی باشد' });
  else if (value > ceiling)
    errors.push({
      field,
      message: `${value} toman per million is above ${ceiling}: prices are per million units, not per unit`,
      persian: `${value} تومان برای هر میلیون از ${ceiling} بیشتر است: قیمت برای میلیون واحد است، نه یک واحد`,
    });
  else if (value > 0n && value < ODDLY_LOW)
    warnings.push({ field, message: `${value} toman per million is oddly low: prices are per million units` });
}

function warnAboutProportions({ perUnit }: Rates, { warnings }: PriceVerdict): void {
  const { inputFresh: input, output, cacheRead } = perUnit;
  if (input !== undefined && output !== undefined && output > 0n && output < input)
    warnings.push({ field: 'output', message: 'is lower than input: are the two swapped?' });
  if (input !== undefined && cacheRead !== undefined && cacheRead > input)
    warnings.push({
      field: 'cache_read',
      message: 'is higher than input, although a cached token costs the provider less',
    });
}
