export {
  ACCOUNT_RULE_FIELDS,
  CALENDAR_FIELDS,
  CAP_FIELDS,
  LIMIT_REQUEST_FIELDS,
  OWN_CAP_FIELDS,
} from './account-rules.ts';
export { MODEL_FIELDS, PRICE_FIELDS, PROVIDER_FIELDS, ROUTE_FIELDS } from './catalog.ts';
export type { Field, FieldTable, ListField } from './field.ts';
export { KEY_CONDITION_FIELDS, KEY_RULE_FIELDS, SHOWN_LIMITS, type ShownLimit } from './key-rules.ts';
export { LIVE_SETTING_FIELDS } from './live-settings.ts';
export { CARRIERS, type CarrierId } from './outside-services.ts';
export { PROMPT_LOGGING_FIELDS } from './prompt-logging.ts';
export { RETENTION_FIELDS } from './retention.ts';
export { LIMIT_FIELDS, TIMEOUT_FIELDS } from './settings.ts';
