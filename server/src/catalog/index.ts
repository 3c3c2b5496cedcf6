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
