export { findingText } from '../catalog/reading/index.ts';
export { checkConfig } from './check-config.ts';
export { type ProcessEnvironment, readEnvironment, withEnvironment } from './environment.ts';
export { DEFAULT_TERMS, limitsByField, type MoneySettings, type Settings } from './settings.ts';
export { type ConfigFile, NO_FILE, readConfig } from './yaml.ts';
