/** The committed snapshot and the hand-kept overlay, joined: every model we know, with its USD price and who serves it. */
import generated from '../data/models.gen.json' with { type: 'json' };
import type { Capability } from '../model.ts';
import type { UsdPrice, UsdTier } from '../prices/toman-price.ts';
import type { ListedModel } from './listed-model.ts';
import {
  CAPABILITY_EXCEPTIONS,
  CAPABILITY_RULES,
  CATEGORY_RULES,
  ECONOMICAL,
  HIDDEN_RATES,
  OTHER_MODELS,
  PRICE_ADDITIONS,
} from './overlay.ts';

interface GeneratedUnits {
  input: string;
  output: string;
  cacheRead?: string;
  cacheWrite?: string;
}

interface GeneratedPrice extends GeneratedUnits {
  request?: string;
  /** Other prices for long prompts, ascending. */
  tiers?: (GeneratedUnits & { above: number })[];
}

interface GeneratedModel {
  id: string;
  name: string;
  usd: GeneratedPrice;
  context: number;
  maxOutput: number;
  vision?: boolean;
  reasoning?: boolean;
  routes: { vendor: string; model: string; usd?: GeneratedPrice }[];
}

let joined: ListedModel[] | undefined;

export function listedModels(): readonly ListedModel[] {
  joined ??= [...(generated.models as GeneratedModel[]).map(join), ...OTHER_MODELS].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  return joined;
}

function join(model: GeneratedModel): ListedModel {
  return {
    id: model.id,
    kind: 'chat',
    name: model.name,
    usd: usdPrice(model.id, model.usd),
    context: model.context,
    maxOutput: model.maxOutput,
    hiddenTokensPerSecond: HIDDEN_RATES.get(model.id),
    capabilities: capabilitiesOf(model),
    categories: categoriesOf(model),
    routes: model.routes.map(({ usd, ...route }) => (usd ? { ...route, usd: usdPrice(model.id, usd) } : route)),
  };
}

function usdPrice(id: string, { request, tiers = [], ...units }: GeneratedPrice): UsdPrice {
  const usd: UsdPrice = unitPrices(id, units);
  if (request) usd.request = request;
  for (const addition of PRICE_ADDITIONS) if (addition.match.test(id)) Object.assign(usd, addition.usd);
  if (tiers.length > 0) usd.tiers = tiers.map(({ above, ...tier }) => ({ above, usd: unitPrices(id, tier) }));
  return usd;
}

function unitPrices(id: string, { input, output, cacheRead, cacheWrite }: GeneratedUnits): UsdTier['usd'] {
  const usd: UsdTier['usd'] = { input, output };
  if (cacheRead) usd.cache_read = cacheRead;
  if (cacheWrite) usd.cache_write_5m = cacheWrite;
  // Anthropic keeps a prefix for an hour at twice the input price; our sources know only the five-minute price.
  if (id.startsWith('anthropic/')) usd.cache_write_1h = twice(input);
  return usd;
}

/** Exact on decimal text: digits are doubled as a whole number, the point stays where it was. */
function twice(text: string): string {
  const [whole = '0', decimals = ''] = text.split('.');
  const doubled = (BigInt(whole + decimals) * 2n).toString().padStart(decimals.length + 1, '0');
  if (decimals === '') return doubled;
  return `${doubled.slice(0, -decimals.length)}.${doubled.slice(-decimals.length)}`;
}

function capabilitiesOf(model: GeneratedModel): string[] {
  const found = new Set<Capability>();
  for (const rule of CAPABILITY_RULES) if (rule.match.test(model.id)) for (const one of rule.give) found.add(one);
  for (const rule of CAPABILITY_EXCEPTIONS)
    if (rule.match.test(model.id)) for (const one of rule.take) found.delete(one);
  if (model.vision) found.add('vision');
  if (model.reasoning) found.add('reasoning');
  return [...found].sort();
}

function categoriesOf(model: GeneratedModel): string[] {
  const found = new Set<string>();
  for (const rule of CATEGORY_RULES) if (rule.match.test(model.id)) for (const one of rule.give) found.add(one);
  if (model.vision) found.add('vision');
  if (model.reasoning) found.add('reasoning');
  if (Number(model.usd.input) <= ECONOMICAL.inputUsd && Number(model.usd.output) <= ECONOMICAL.outputUsd)
    found.add('economical');
  return [...found];
}
