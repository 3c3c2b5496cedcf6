/**
 * Rules as they are written by people and programs (snake_case, toman) and back. One form for the API, the command line,
 * YAML and the database. A field that is absent keeps its present value; `null` lifts a limit; `0` allows nothing.
 */
import { ACCOUNT_RULE_FIELDS, CALENDAR_FIELDS, KEY_RULE_FIELDS, LIMIT_REQUEST_FIELDS } from '../core/fields/index.ts';
import { HOME_ZONE } from '../core/home-zone.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { objectInput, readValues, refuseAbove, renderValues, unrestricted } from './field-values.ts';
import { readField, readObject, refuse } from './read-field.ts';
import type { AccountRules, Calendar, KeyRules } from './rules.ts';

export const UNLIMITED_ACCOUNT: AccountRules = unrestricted(ACCOUNT_RULE_FIELDS);
export const UNLIMITED_KEY: KeyRules = unrestricted(KEY_RULE_FIELDS);
export const DEFAULT_CALENDAR: Calendar = { timeZone: HOME_ZONE, month: 'jalali' };

export function parseAccountRules(input: Json | undefined, present: AccountRules = UNLIMITED_ACCOUNT): AccountRules {
  return readValues(ACCOUNT_RULE_FIELDS, objectInput(input, ACCOUNT_RULE_FIELDS, 'rules'), present, 'rules');
}

/** A request for other limits can hold nothing else: neither an end to a pause nor other models. */
export function checkLimitRequest(input: Json): void {
  const object = objectInput(input, LIMIT_REQUEST_FIELDS, 'rules');
  if (object['caps'] !== undefined) readField(LIMIT_REQUEST_FIELDS.caps, object['caps'], 'rules.caps');
  parseAccountRules(object);
}

/** Limits above the account's are refused here, when the rule is written. */
export function parseKeyRules(
  input: Json | undefined,
  account: AccountRules,
  present: KeyRules = UNLIMITED_KEY,
): KeyRules {
  const rules = readValues(KEY_RULE_FIELDS, objectInput(input, KEY_RULE_FIELDS, 'rules'), present, 'rules');
  refuseAbove(ACCOUNT_RULE_FIELDS, rules, account, 'rules');
  return rules;
}

/**
 * Reads rules that we stored ourselves. Unknown fields are ignored: one that a newer version added must not lock every key out of
 * an older version.
 */
export function readStoredKeyRules(stored: Json): KeyRules {
  return readValues(KEY_RULE_FIELDS, readObject(stored, 'rules'), UNLIMITED_KEY, 'rules');
}

export function readStoredAccountRules(stored: Json): AccountRules {
  return readValues(ACCOUNT_RULE_FIELDS, readObject(stored, 'rules'), UNLIMITED_ACCOUNT, 'rules');
}

export function renderAccountRules(rules: AccountRules): JsonObject {
  return renderValues(ACCOUNT_RULE_FIELDS, rules);
}

export function renderKeyRules(rules: KeyRules): JsonObject {
  return renderValues(KEY_RULE_FIELDS, rules);
}

export function parseCalendar(input: Json | undefined, present: Calendar = DEFAULT_CALENDAR): Calendar {
  const calendar = readValues(CALENDAR_FIELDS, objectInput(input, CALENDAR_FIELDS, 'calendar'), present, 'calendar');
  if (isTimeZone(calendar.timeZone)) return calendar;
  return refuse('calendar.time_zone', 'باید نامی مانند «Asia/Tehran» باشد.', 'must be a name such as Asia/Tehran.');
}

export function renderCalendar(calendar: Calendar): JsonObject {
  return renderValues(CALENDAR_FIELDS, calendar);
}

/** Names of zones that were found valid. Asking the engine is slow, and every key that is loaded names a zone. */
const knownZones = new Set<string>();

function isTimeZone(name: string): boolean {
  if (knownZones.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    knownZones.add(name);
    return true;
  } catch {
    return false;
  }
}
