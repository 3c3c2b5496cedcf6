/**
 * Rules as they are written by people and programs (snake_case, toman) and back. One form for the API, the command line,
 * YAML and the database. A field that is absent keeps its present value; `null` lifts a limit; `0` allows nothing.
 */
import {
  ACCOUNT_RULE_FIELDS,
  CALENDAR_FIELDS,
  CAP_FIELDS,
  KEY_RULE_FIELDS,
  WISH_FIELDS,
} from '../core/fields/index.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { toTomanText } from '../core/money.ts';
import { fieldReader, readField, readObject, refuseField, refuseUnknownFields } from './read-field.ts';
import { type AccountRules, CAP_PERIODS, type Calendar, type Caps, type KeyRules, type SharedRules } from './rules.ts';

type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;
/** Every declared field must be read: one that the API takes and nobody reads would be a rule that does nothing. */
type EveryRule<Table> = { [Name in keyof Table as Camel<Name> & string]: unknown };

export const UNLIMITED_ACCOUNT: AccountRules = {
  models: null,
  endpoints: null,
  caps: { daily: null, monthly: null, total: null },
  rpm: null,
  paused: false,
};

export const UNLIMITED_KEY: KeyRules = {
  ...UNLIMITED_ACCOUNT,
  defaultModel: null,
  ips: null,
  referrers: null,
  expiresAt: null,
  tpm: null,
  knowledgeBases: null,
};

export const DEFAULT_CALENDAR: Calendar = { timeZone: 'Asia/Tehran', month: 'jalali' };

export function parseAccountRules(input: Json | undefined, present: AccountRules = UNLIMITED_ACCOUNT): AccountRules {
  const object = readObject(input ?? {}, 'rules');
  refuseUnknownFields(object, ACCOUNT_RULE_FIELDS, 'rules');
  return readShared(object, present);
}

/** A wish for other limits can hold nothing else: neither an end to a pause nor other models. */
export function checkWish(input: Json): void {
  const object = readObject(input, 'rules');
  refuseUnknownFields(object, WISH_FIELDS, 'rules');
  if (object['caps'] !== undefined) readField(WISH_FIELDS.caps, object['caps'], 'rules.caps');
  parseAccountRules(object);
}

/** Limits above the account's are refused here, when the rule is written. */
export function parseKeyRules(
  input: Json | undefined,
  account: AccountRules,
  present: KeyRules = UNLIMITED_KEY,
): KeyRules {
  const object = readObject(input ?? {}, 'rules');
  refuseUnknownFields(object, KEY_RULE_FIELDS, 'rules');
  const rules = readKey(object, present);
  refuseAboveAccount(rules, account);
  return rules;
}

/**
 * Reads rules that we stored ourselves. Unknown fields are ignored: one that a newer version added must not lock every key out of
 * an older version.
 */
export function readStoredKeyRules(stored: Json): KeyRules {
  return readKey(readObject(stored, 'rules'), UNLIMITED_KEY);
}

export function readStoredAccountRules(stored: Json): AccountRules {
  return readShared(readObject(stored, 'rules'), UNLIMITED_ACCOUNT);
}

function readKey(object: JsonObject, present: KeyRules): KeyRules & EveryRule<typeof KEY_RULE_FIELDS> {
  const read = fieldReader(KEY_RULE_FIELDS, object, 'rules');
  return {
    ...readShared(object, present),
    defaultModel: read('default_model', present.defaultModel),
    ips: read('ips', present.ips),
    referrers: read('referrers', present.referrers),
    expiresAt: read('expires_at', present.expiresAt),
    tpm: read('tpm', present.tpm),
    knowledgeBases: read('knowledge_bases', present.knowledgeBases),
  };
}

function readShared(object: JsonObject, present: SharedRules): SharedRules & EveryRule<typeof ACCOUNT_RULE_FIELDS> {
  const read = fieldReader(ACCOUNT_RULE_FIELDS, object, 'rules');
  return {
    models: read('models', present.models),
    endpoints: read('endpoints', present.endpoints),
    caps: readCaps(object['caps'], present.caps),
    rpm: read('rpm', present.rpm),
    paused: read('paused', present.paused),
  };
}

/** A period that is not named keeps its cap; null instead of them all lifts them all. */
function readCaps(value: Json | undefined, present: Caps): Caps {
  if (value === undefined) return present;
  const object = readField(ACCOUNT_RULE_FIELDS.caps, value, 'rules.caps');
  if (object === null) return UNLIMITED_ACCOUNT.caps;
  const read = fieldReader(CAP_FIELDS, object, 'rules.caps');
  const { daily, monthly, total } = present;
  return { daily: read('daily', daily), monthly: read('monthly', monthly), total: read('total', total) };
}

function refuseAboveAccount(key: KeyRules, account: AccountRules): void {
  const fa = (limit: string | number) => `از حد حساب (${limit}) بیشتر است.`;
  const en = (limit: string | number) => `is above the account's limit (${limit}).`;
  if (key.rpm !== null && account.rpm !== null && key.rpm > account.rpm) {
    refuseField('rules.rpm', fa(account.rpm), en(account.rpm));
  }
  for (const period of CAP_PERIODS) {
    const cap = key.caps[period];
    const ceiling = account.caps[period];
    if (cap === null || ceiling === null || cap <= ceiling) continue;
    refuseField(`rules.caps.${period}`, fa(toTomanText(ceiling)), en(toTomanText(ceiling)));
  }
}

export function renderAccountRules({ models, endpoints, caps, rpm, paused }: SharedRules): JsonObject {
  const amounts: JsonObject = {};
  for (const period of CAP_PERIODS) {
    const cap = caps[period];
    amounts[period] = cap === null ? null : toTomanText(cap);
  }
  return { models, endpoints, caps: amounts, rpm, paused };
}

export function renderKeyRules(rules: KeyRules): JsonObject {
  const own: Record<Exclude<keyof typeof KEY_RULE_FIELDS, keyof typeof ACCOUNT_RULE_FIELDS>, Json> = {
    default_model: rules.defaultModel,
    ips: rules.ips,
    referrers: rules.referrers,
    expires_at: rules.expiresAt === null ? null : new Date(rules.expiresAt).toISOString(),
    tpm: rules.tpm,
    knowledge_bases: rules.knowledgeBases,
  };
  return { ...renderAccountRules(rules), ...own };
}

export function parseCalendar(input: Json | undefined, present: Calendar = DEFAULT_CALENDAR): Calendar {
  const object = readObject(input ?? {}, 'calendar');
  refuseUnknownFields(object, CALENDAR_FIELDS, 'calendar');
  const read = fieldReader(CALENDAR_FIELDS, object, 'calendar');
  const timeZone = read('time_zone', present.timeZone);
  if (!isTimeZone(timeZone)) {
    return refuseField(
      'calendar.time_zone',
      'باید نامی مانند «Asia/Tehran» باشد.',
      'must be a name such as Asia/Tehran.',
    );
  }
  return { timeZone, month: read('month', present.month) };
}

export function renderCalendar({ timeZone, month }: Calendar): JsonObject {
  return { time_zone: timeZone, month };
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
