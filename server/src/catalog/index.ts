export { type CatalogAdmin, createCatalogAdmin } from './admin/index.ts';
export { createListAdmin, type ListAdmin, type ListNews } from './admin/lists.ts';
export type { AskModels } from './admin/offer.ts';
export { checkMargin } from './admin/pricing.ts';
export { selectAccountsUsing } from './admin/use-rows.ts';
export { autoModel } from './auto-model.ts';
export { selectModelsWithRoutes } from './catalog-rows.ts';
export { policiesOf } from './data-policy.ts';
export { catalogForSale, isShownTo } from './for-sale.ts';
export type {
  CatalogSnapshot,
  Credential,
  Model,
  ModelKind,
  Provider,
  Route,
  RouteLimits,
  Timeouts,
} from './model.ts';
export { CAPABILITIES, CATEGORIES } from './model.ts';
export { modelFor } from './prices/account-price.ts';
export { modelAtPercent } from './prices/batch-price.ts';
export {
  BUCKET_OF_FIELD,
  PRICE_FIELD_NAMES,
  type Rates,
  type RatesText,
  ratesFromText,
} from './prices/price-fields.ts';
export {
  type PastPrice,
  type PriceChange,
  type PriceQuestion,
  priceChanges,
  priceHistory,
} from './prices/price-history.ts';
export { factorText } from './prices/price-terms.ts';
export { createRateSource, type RateSource } from './prices/rate-source.ts';
export { settleSelling } from './prices/selling.ts';
export type { Selling } from './prices/term-rows.ts';
export { modelAtTier } from './prices/tier-price.ts';
export type { UsdPrice } from './prices/toman-price.ts';
export { isDecimalText } from './prices/toman-price.ts';
export { listView, modelView, publicPricing } from './public-view.ts';
export type { Declaration } from './seed/declared.ts';
export type { SeedSources } from './seed/desired.ts';
export { discoverServers, type Probe } from './seed/discover.ts';
export { listedModels } from './seed/listed-models.ts';
export { sandboxDeclaration } from './seed/sandbox-models.ts';
export { seedCatalog } from './seed/seed.ts';
export { switchedOnProviders } from './seed/switched-on.ts';
export { createCatalog } from './store.ts';
