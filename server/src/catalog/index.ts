export { type CatalogAdmin, createCatalogAdmin } from './admin/index.ts';
export { buildSnapshot } from './build-snapshot.ts';
export type {
  Declaration,
  DeclaredGroup,
  DeclaredModel,
  DeclaredProvider,
  DeclaredRoute,
  ManagedBy,
} from './declared.ts';
export { CATEGORY_NAMES } from './default-groups.ts';
export { type DesiredCatalog, desiredCatalog, type SeedSources } from './desired.ts';
export { discoverServers, type FoundServer, type Probe } from './discover.ts';
export { termsInForce } from './exchange-terms.ts';
export { listedModels } from './listed-models.ts';
export type {
  AuthStyle,
  Capability,
  CatalogSnapshot,
  Credential,
  Group,
  Model,
  ModelKind,
  Provider,
  Route,
  Timeouts,
} from './model.ts';
export { CAPABILITIES, CATEGORIES } from './model.ts';
export { judgePrice } from './price-bounds.ts';
export {
  PRICE_FIELD_NAMES,
  PRICE_FIELDS,
  type PriceField,
  parsePerMillion,
  type Rates,
  REQUEST_FIELD,
} from './price-fields.ts';
export { listView, modelView } from './public-view.ts';
export { sandboxDeclaration } from './sandbox-models.ts';
export { type SeedResult, seedCatalog } from './seed.ts';
export { type Catalog, createCatalog } from './store.ts';
export { switchedOnProviders } from './switched-on.ts';
export { type ExchangeTerms, isDecimalText } from './toman-price.ts';
