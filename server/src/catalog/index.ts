export { modelFor } from './account-price.ts';
export { type CatalogAdmin, createCatalogAdmin } from './admin/index.ts';
export { createListAdmin, type ListAdmin, type ListNews } from './admin/lists.ts';
export { checkMargin } from './admin/pricing.ts';
export type { Declaration } from './declared.ts';
export { desiredCatalog, type SeedSources } from './desired.ts';
export { discoverServers, type Probe } from './discover.ts';
export { listedModels } from './listed-models.ts';
export type {
  CatalogSnapshot,
  Credential,
  Model,
  ModelKind,
  Provider,
  Route,
  Timeouts,
} from './model.ts';
export { CAPABILITIES, CATEGORIES } from './model.ts';
export type { Rates } from './price-fields.ts';
export { type PastPrice, priceHistory } from './price-history.ts';
export { MARGIN_LAYERS } from './pricing-terms.ts';
export { listView, modelView } from './public-view.ts';
export { createRateSource, type RateSource } from './rate-source.ts';
export { sandboxDeclaration } from './sandbox-models.ts';
export { seedCatalog } from './seed.ts';
export { type Catalog, createCatalog } from './store.ts';
export { switchedOnProviders } from './switched-on.ts';
export { type ExchangeTerms, isDecimalText } from './toman-price.ts';
