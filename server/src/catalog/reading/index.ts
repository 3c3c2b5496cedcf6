/** How providers, models, groups and prices are read from outside: one reader for the YAML file and for the operator's API. */
export { describe, Fields } from './fields.ts';
export { isSlug, SLUG_RULE, UniqueIds } from './ids.ts';
export { readTimeouts, readToman, renderTimeouts } from './read-amounts.ts';
export {
  knownProviders,
  readGroups,
  readModelFacts,
  readModels,
  readPrice,
  readRates,
  readRoute,
} from './read-models.ts';
export { type Environment, readProviders, readSecret } from './read-providers.ts';
export { renderQuirks } from './read-quirks.ts';
export { type Finding, findingText, type Path, pathText, Report, suggestion, WHOLE_FILE } from './report.ts';
