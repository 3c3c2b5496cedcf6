/** Prices of a model as people compare them. Everything is exact: micro-toman in whole numbers until it is shown. */

import { SERVICE_TIERS } from '@dargah/core/catalog-terms.ts';
import { PRICE_FIELDS as PRICE_FORM } from '@dargah/core/fields/index.ts';
import { KIND_FACTS } from '@dargah/core/model-kinds.ts';
import type { Language, Text } from '@dargah/core/text.ts';
import { BUCKET_OF_FIELD, factorText, type Model, PRICE_FIELD_NAMES, type UsdPrice } from '../../../catalog/index.ts';
import { type Money, money } from '../../../core/money.ts';
import { costOf, type Price } from '../../../core/price.ts';
import type { Bucket } from '../../../core/usage.ts';

export interface MessageSize {
  input: number;
  output: number;
}

/** The default message: about a page of Persian in the question and half a page in the answer. */
export const USUAL_MESSAGE: MessageSize = { input: 800, output: 300 };
const MILLION = 1_000_000n;

export interface PriceLine {
  name: Text;
  unit: Text;
  amount: Money;
  /** The maker's list price of the same unit, where it may be told: plain decimals. */
  dollars?: string;
}

const PER_MILLION: Text = { fa: 'هر میلیون توکن', en: 'per million tokens' };
const PER_THOUSAND: Text = { fa: 'هر هزار بار', en: 'per thousand calls' };
const ANSWER: Text = { fa: 'پاسخ', en: 'Output' };

/** What is charged, in the order of a receipt. Audio is told by the minute and letters by the thousand, as people count them. */
const LINES: readonly (readonly [bucket: Bucket, name: Text, unit: Text, units: bigint])[] = [
  ['inputFresh', PRICE_FORM.input.label, PER_MILLION, MILLION],
  ['cacheRead', { fa: 'ورودی کش‌شده', en: 'Input from cache' }, PER_MILLION, MILLION],
  ['cacheWrite5m', { fa: 'نوشتن در کش، ۵ دقیقه', en: 'Cache write, 5 minutes' }, PER_MILLION, MILLION],
  ['cacheWrite1h', { fa: 'نوشتن در کش، ۱ ساعت', en: 'Cache write, 1 hour' }, PER_MILLION, MILLION],
  ['output', ANSWER, PER_MILLION, MILLION],
  ['reasoning', { fa: 'استدلال', en: 'Reasoning' }, PER_MILLION, MILLION],
  ['audioInput', PRICE_FORM.audio_input.label, PER_MILLION, MILLION],
  ['audioCacheRead', PRICE_FORM.audio_cache_read.label, PER_MILLION, MILLION],
  ['audioOutput', PRICE_FORM.audio_output.label, PER_MILLION, MILLION],
  ['imageInput', PRICE_FORM.image_input.label, PER_MILLION, MILLION],
  ['imageOutput', PRICE_FORM.image_output.label, PER_MILLION, MILLION],
  ['images', PRICE_FORM.images.label, { fa: 'هر تصویر', en: 'per image' }, 1n],
  ['characters', { fa: 'متن', en: 'Text' }, { fa: 'هر هزار کاراکتر', en: 'per thousand characters' }, 1_000n],
  ['searches', PRICE_FORM.searches.label, { fa: 'هر جست‌وجو', en: 'per search' }, 1n],
  ['seconds', { fa: 'صدا', en: 'Audio' }, { fa: 'هر دقیقه', en: 'per minute' }, 60n],
  ['webSearches', PRICE_FORM.web_search.label, PER_THOUSAND, 1_000n],
  ['webFetches', PRICE_FORM.web_fetch.label, PER_THOUSAND, 1_000n],
  ['fileSearches', PRICE_FORM.file_search.label, PER_THOUSAND, 1_000n],
  ['codeSessions', PRICE_FORM.code_session.label, { fa: 'هر نشست', en: 'per session' }, 1n],
  ['imageToolInput', PRICE_FORM.image_tool_input.label, PER_MILLION, MILLION],
  ['imageToolOutput', PRICE_FORM.image_tool_output.label, PER_MILLION, MILLION],
];

export function priceLines(price: Price, usd?: UsdPrice): PriceLine[] {
  const lines = LINES.flatMap(([bucket, name, unit, units]): PriceLine[] => {
    const each = price.perUnit[bucket];
    return each === undefined ? [] : [{ name, unit, amount: money(each * units), ...dollarsOf(bucket, units, usd) }];
  });
  if (price.perRequest === 0n) return lines;
  const unit = { fa: 'هر درخواست', en: 'per request' };
  return [...lines, { name: { fa: 'درخواست', en: 'Request' }, unit, amount: money(price.perRequest) }];
}

/** The list counts per million units; a line may count by the minute or the thousand. */
function dollarsOf(bucket: Bucket, units: bigint, usd: UsdPrice | undefined): { dollars?: string } {
  const field = PRICE_FIELD_NAMES.find((name) => BUCKET_OF_FIELD[name] === bucket);
  const each = field && usd?.[field];
  return each === undefined ? {} : { dollars: String(Number(((Number(each) * Number(units)) / 1e6).toFixed(6))) };
}

export interface TierLines {
  /** The tier begins above this many prompt tokens. */
  above: number;
  lines: PriceLine[];
}

/** What long prompts cost instead: only what the tier names; all else keeps its price. */
export function tierLines({ tiers = [] }: Price, usd?: UsdPrice): TierLines[] {
  return tiers.map(({ above, perUnit }) => ({
    above,
    lines: priceLines({ version: '', perUnit, perRequest: 0n }, usd?.tiers?.find((tier) => tier.above === above)?.usd),
  }));
}

export interface TermLine {
  name: Text;
  unit: Text;
  /** How many times the price of tokens a service tier costs. */
  factor?: string;
  /** What one picture costs. */
  amount?: Money;
}

/** Prices that differ from the lines above: service tiers, and pictures by size and quality. */
export function termLines({ serviceTiers = {}, pictures = [] }: Price): TermLine[] {
  const tiers = SERVICE_TIERS.flatMap((tier): TermLine[] => {
    const factor = serviceTiers[tier];
    if (factor === undefined) return [];
    const name = { fa: `سطح سرویس «${tier}»`, en: `Service tier ${tier}` };
    return [{ name, unit: { fa: 'برابر قیمت توکن', en: 'times the price of tokens' }, factor: factorText(factor) }];
  });
  const grid = pictures.map(({ size, quality, each }): TermLine => {
    const kind = [size, quality].filter((word) => word !== undefined).join(' · ');
    return {
      name: { fa: `تصویر «${kind}»`, en: `Image ${kind}` },
      unit: { fa: 'هر تصویر', en: 'per image' },
      amount: money(each),
    };
  });
  return [...tiers, ...grid];
}

/** The price by which a list is ordered and whose history is drawn: that of the output, or of what the model charges instead. */
export function mainBucket(model: Model): Bucket {
  const choices = KIND_FACTS[model.kind].main.map((field) => BUCKET_OF_FIELD[field]);
  return choices.find((bucket) => model.price.perUnit[bucket] !== undefined) ?? (choices.at(-1) as Bucket);
}

export function lineOf(price: Price, bucket: Bucket): PriceLine | undefined {
  const found = LINES.find(([name]) => name === bucket);
  const each = price.perUnit[bucket];
  return found === undefined || each === undefined
    ? undefined
    : { name: found[1], unit: found[2], amount: money(each * found[3]) };
}

/** What a thousand messages cost; undefined for models that do not chat. */
export function thousandMessages(model: Model, size: MessageSize, price = model.price): Money | undefined {
  if (model.kind !== 'chat') return undefined;
  const usage = { buckets: { inputFresh: size.input, output: size.output }, source: 'estimated' as const };
  return money(costOf(price, usage) * 1_000n);
}

/** The change in per cent with two decimals; undefined when the old price was zero. */
export function changeText(before: Money, after: Money, language: Language): string | undefined {
  if (before === 0n || before === after) return undefined;
  const share = Number(((after - before) * 1_000_000n) / before) / 10_000;
  const size = Math.abs(Math.round(share * 100) / 100);
  const text = new Intl.NumberFormat(language === 'fa' ? 'fa-IR' : 'en-US').format(size);
  if (language === 'fa') return `${text}٪ ${share > 0 ? 'بیشتر' : 'کمتر'}`;
  return `${text}% ${share > 0 ? 'more' : 'less'}`;
}
