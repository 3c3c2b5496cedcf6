/** How providers, models, groups and prices are read from outside: one reader for the YAML file and for the operator's API. */
export { Fields } from './fields.ts';
export { isSlug, UniqueIds } from './ids.ts';
export { describe, mistakes, suggestion } from './mistakes.ts';
export { readTimeouts, readToman, renderTimeouts } from './read-amounts.ts';
export { checkedCredential } from './read-cloud.ts';
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
export { type Finding, findingText, type Path, pathText, Report, WHOLE_FILE } from './report.ts';
