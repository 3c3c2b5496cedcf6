export { type Finding, findingText } from '../catalog/reading/index.ts';
export { type ConfigCheck, checkConfig } from './check-config.ts';
export { type LogLevel, type ProcessEnvironment, readEnvironment } from './environment.ts';
export type { DeclaredAccount, DeclaredKey } from './read-accounts.ts';
export { DEFAULT_SETTINGS, DEFAULT_TERMS, type Limits, type MoneySettings, type Settings } from './settings.ts';
export { type ConfigFile, NO_FILE, readConfig } from './yaml.ts';
