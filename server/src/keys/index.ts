export { compileAddresses, parseRange } from './address-rules.ts';
export { type CapScope, capBudget, parseBudgetId, walletBudget } from './budget-ids.ts';
export { periodOf } from './calendar.ts';
export {
  blockRefusal,
  CALLER_RULES,
  checkKeyRules,
  checkPrice,
  checkRequestRules,
  isBlocked,
  modelRefusal,
  permitsByList,
  permitsModel,
  permitsPrice,
  REQUEST_RULES,
} from './check-rules.ts';
export { checkId, checkName, noSuch, refuseCursor, refuseKeyOfFile } from './checked-values.ts';
export { arithmeticOf, gregorian, jalali } from './civil-days.ts';
export {
  CLIENT_SECRET_SECONDS,
  type ClientSecret,
  type ClientSecrets,
  createClientSecrets,
  isClientSecret,
} from './client-secrets.ts';
export { CONFIG_LOCK } from './config-keys.ts';
export { checkDataPolicy, dataDemands, meetsData, permitsData, unmetByRoute, withDemand } from './data-rule.ts';
export { parseDayInput, parseTimeInput } from './date-inputs.ts';
export { demandOfKeys } from './demand-of-keys.ts';
export { createKeyDirectory, type KeyDirectory } from './directory.ts';
export type { ApiKey } from './key-rows.ts';
export { isPlausibleKeyText } from './key-text.ts';
export { createKeyService, type KeyService } from './keys.ts';
export { refusingUnknownModels } from './known-models.ts';
export {
  accountCap,
  type CapSetter,
  capsInForce,
  parseOwnCaps,
  readStoredOwnCaps,
  renderOwnCaps,
} from './own-caps.ts';
export { createOwnKeys, type OwnKeys } from './own-keys.ts';
export {
  type AccountBlock,
  type AccountRules,
  type BudgetOfKeys,
  CAP_PERIODS,
  type Calendar,
  type CalledEndpoint,
  type CapPeriod,
  ENDPOINTS,
  type Endpoint,
  type KeySnapshot,
  type OwnCaps,
  type PromptLogging,
} from './rules.ts';
export {
  checkLimitRequest,
  DEFAULT_CALENDAR,
  parseAccountRules,
  parseCalendar,
  parseKeyRules,
  readStoredAccountRules,
  renderAccountRules,
  renderCalendar,
  renderKeyConditions,
  renderKeyRules,
  UNLIMITED_ACCOUNT,
  UNLIMITED_KEY,
} from './rules-schema.ts';
export { forgetClientSecrets, forgetOwnKeys, type OwnKey } from './secret-rows.ts';
export {
  createSharedBudgets,
  renderBudgetCaps,
  type SharedBudget,
  type SharedBudgets,
} from './shared-budgets.ts';
