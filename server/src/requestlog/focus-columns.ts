/**
 * Usage in the columns of FOCUS 1.2, the FinOps Open Cost and Usage Specification, so that programs that add up the bills of many
 * clouds read ours too. Amounts are in rial: FOCUS asks for a code of ISO 4217, which a toman does not have. What we have no word
 * for is a column that begins with `x_`, as FOCUS wants it.
 */

import { money, toTomanText } from '../core/money.ts';
import { type CsvCell, csvLine } from '../core/write-csv.ts';
import type { UsageLine } from './usage-sums.ts';

export interface FocusFacts {
  /** The seller: the operator's service. */
  service: string;
  account: { id: string; name: string };
  keyName: string;
  /** In milliseconds; the end is not part of it. */
  day: { from: number; to: number };
  month: { from: number; to: number };
}

const RIALS_OF_TOMAN = 10n;

/** In alphabetical order, as the specification lists them. */
const COLUMNS: Record<string, (line: UsageLine, facts: FocusFacts) => CsvCell> = {
  BilledCost: rials,
  BillingAccountId: (_, { account }) => account.id,
  BillingAccountName: (_, { account }) => account.name,
  BillingAccountType: () => 'Account',
  BillingCurrency: () => 'IRR',
  BillingPeriodEnd: (_, { month }) => time(month.to),
  BillingPeriodStart: (_, { month }) => time(month.from),
  ChargeCategory: () => 'Usage',
  ChargeClass: () => null,
  ChargeDescription: ({ model, endpoint }) => `${model} (${endpoint})`,
  ChargeFrequency: () => 'Usage-Based',
  ChargePeriodEnd: (_, { day }) => time(day.to),
  ChargePeriodStart: (_, { day }) => time(day.from),
  ConsumedQuantity: tokens,
  ConsumedUnit: () => 'Tokens',
  ContractedCost: rials,
  EffectiveCost: rials,
  InvoiceIssuerName: (_, { service }) => service,
  ListCost: rials,
  PricingCategory: () => 'Standard',
  PricingQuantity: tokens,
  PricingUnit: () => 'Tokens',
  ProviderName: (_, { service }) => service,
  PublisherName: ({ model }) => model.split('/', 1)[0] || null,
  ResourceId: ({ model }) => model || null,
  ResourceName: ({ model }) => model || null,
  ResourceType: () => 'Model',
  ServiceCategory: () => 'AI and Machine Learning',
  ServiceName: (_, { service }) => service,
  ServiceSubcategory: () => 'Generative AI',
  SkuId: ({ model }) => model || null,
  SubAccountId: ({ keyId }) => keyId,
  SubAccountName: (_, { keyName }) => keyName || null,
  SubAccountType: () => 'API key',
  Tags: ({ tags }) => JSON.stringify(namedTags(tags)),
  x_CachedInputTokens: ({ cachedTokens }) => cachedTokens,
  x_Endpoint: ({ endpoint }) => endpoint,
  x_InputTokens: ({ inputTokens }) => inputTokens,
  x_OutputTokens: ({ outputTokens }) => outputTokens,
  x_RequestCount: ({ requests }) => requests,
};

export const FOCUS_HEAD: string = csvLine(Object.keys(COLUMNS));

export function focusLine(line: UsageLine, facts: FocusFacts): string {
  return csvLine(Object.values(COLUMNS).map((cell) => cell(line, facts)));
}

function rials({ cost }: UsageLine): string {
  return toTomanText(money(cost * RIALS_OF_TOMAN));
}

function tokens({ inputTokens, outputTokens }: UsageLine): number {
  return inputTokens + outputTokens;
}

/** `team:search` is a name with its value; FOCUS gives a tag without one the value true. */
function namedTags(tags: readonly string[]): Record<string, string | true> {
  return Object.fromEntries(
    tags.map((tag) => {
      const colon = tag.indexOf(':');
      return colon > 0 ? [tag.slice(0, colon), tag.slice(colon + 1)] : [tag, true];
    }),
  );
}

function time(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}
