/**
 * Rules as they are written by people and programs (snake_case, toman) and back. One form for the API, the command line,
 * YAML and the database. A field that is absent keeps its present value; `null` lifts a limit; `0` allows nothing.
 */
import type { Json, JsonObject } from '../core/json.ts';
import { toTomanText } from '../core/money.ts';
import { parseHostPattern, parseRange } from './address-rules.ts';
import * as field from './rule-fields.ts';
import {
  type AccountRules,
  CAP_PERIODS,
  type Calendar,
  type Caps,
  ENDPOINTS,
  type Endpoint,
  type KeyRules,
  type SharedRules,
} from './rules.ts';

const SHARED_FIELDS = ['models', 'endpoints', 'caps', 'rpm', 'paused'] as const;
const KEY_FIELDS = [
  ...SHARED_FIELDS,
  'default_model',
  'ips',
  'referrers',
  'expires_at',
  'tpm',
  'knowledge_bases',
] as const;

/** More a minute than one installation serves; a larger number is a typing error. */
const MAX_RPM = 1_000_000;
const MAX_TPM = 1_000_000_000;

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
  const object = field.readObject(input ?? {}, 'rules');
  field.refuseUnknownFields(object, SHARED_FIELDS, 'rules');
  return readShared(object, present);
}

/** Limits above the account's are refused here, when the rule is written. */
export function parseKeyRules(
  input: Json | undefined,
  account: AccountRules,
  present: KeyRules = UNLIMITED_KEY,
): KeyRules {
  const object = field.readObject(input ?? {}, 'rules');
  field.refuseUnknownFields(object, KEY_FIELDS, 'rules');
  const rules = readKey(object, present);
  refuseAboveAccount(rules, account);
  return rules;
}

/** What we stored ourselves: a field that a newer version added must not lock every key out of an older one. */
export function readStoredKeyRules(stored: Json): KeyRules {
  return readKey(field.readObject(stored, 'rules'), UNLIMITED_KEY);
}

export function readStoredAccountRules(stored: Json): AccountRules {
  return readShared(field.readObject(stored, 'rules'), UNLIMITED_ACCOUNT);
}

function readKey(object: JsonObject, present: KeyRules): KeyRules {
  const read = reader(object);
  return {
    ...readShared(object, present),
    defaultModel: read('default_model', present.defaultModel, field.readText),
    ips: read('ips', present.ips, readAddresses),
    referrers: read('referrers', present.referrers, readHosts),
    expiresAt: read('expires_at', present.expiresAt, field.readTime),
    tpm: read('tpm', present.tpm, (value, param) => field.readLimit(value, param, MAX_TPM)),
    knowledgeBases: read('knowledge_bases', present.knowledgeBases, readIds),
  };
}

function readShared(object: JsonObject, present: SharedRules): SharedRules {
  const read = reader(object);
  return {
    models: read('models', present.models, readModels),
    endpoints: read('endpoints', present.endpoints, readEndpoints),
    caps: read('caps', present.caps, (value, param) => readCaps(value, param, present.caps)),
    rpm: read('rpm', present.rpm, (value, param) => field.readLimit(value, param, MAX_RPM)),
    paused: read('paused', present.paused, field.readBoolean),
  };
}

function reader(object: JsonObject) {
  return <T>(name: string, present: T, read: (value: Json, param: string) => T): T => {
    const value = object[name];
    return value === undefined ? present : read(value, `rules.${name}`);
  };
}

function readCaps(value: Json, param: string, present: Caps): Caps {
  if (value === null) return UNLIMITED_ACCOUNT.caps;
  const object = field.readObject(value, param);
  field.refuseUnknownFields(object, CAP_PERIODS, param);
  const caps = { ...present };
  for (const period of CAP_PERIODS) {
    const cap = object[period];
    if (cap !== undefined) caps[period] = field.readMoneyLimit(cap, `${param}.${period}`);
  }
  return caps;
}

function readModels(value: Json, param: string): string[] | null {
  const expected = { fa: 'شناسهٔ مدل یا group:<name>', en: 'a model id or group:<name>' };
  return field.readList(value, param, expected, (entry) => (/^(?!group:$)[!-~]+$/.test(entry) ? entry : undefined));
}

function readEndpoints(value: Json, param: string): Endpoint[] | null {
  const expected = { fa: `یکی از ${ENDPOINTS.join('، ')}`, en: `one of ${ENDPOINTS.join(', ')}` };
  return field.readList(value, param, expected, (entry) => ENDPOINTS.find((endpoint) => endpoint === entry));
}

function readAddresses(value: Json, param: string): string[] | null {
  const expected = { fa: 'نشانی IP یا CIDR', en: 'an IP address or CIDR range' };
  return field.readList(value, param, expected, (entry) => (parseRange(entry) ? entry : undefined));
}

function readHosts(value: Json, param: string): string[] | null {
  return field.readList(
    value,
    param,
    { fa: 'نام میزبان یا *.example.com', en: 'a host or *.example.com' },
    parseHostPattern,
  );
}

function readIds(value: Json, param: string): string[] | null {
  return field.readList(value, param, { fa: 'شناسه', en: 'an id' }, (entry) => entry);
}

function refuseAboveAccount(key: KeyRules, account: AccountRules): void {
  const fa = (limit: string | number) => `از حد حساب (${limit}) بیشتر است.`;
  const en = (limit: string | number) => `is above the account's limit (${limit}).`;
  if (key.rpm !== null && account.rpm !== null && key.rpm > account.rpm) {
    field.refuse('rules.rpm', fa(account.rpm), en(account.rpm));
  }
  for (const period of CAP_PERIODS) {
    const cap = key.caps[period];
    const ceiling = account.caps[period];
    if (cap === null || ceiling === null || cap <= ceiling) continue;
    field.refuse(`rules.caps.${period}`, fa(toTomanText(ceiling)), en(toTomanText(ceiling)));
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
  return {
    ...renderAccountRules(rules),
    default_model: rules.defaultModel,
    ips: rules.ips,
    referrers: rules.referrers,
    expires_at: rules.expiresAt === null ? null : new Date(rules.expiresAt).toISOString(),
    tpm: rules.tpm,
    knowledge_bases: rules.knowledgeBases,
  };
}

export function parseCalendar(input: Json | undefined, present: Calendar = DEFAULT_CALENDAR): Calendar {
  const object = field.readObject(input ?? {}, 'calendar');
  field.refuseUnknownFields(object, ['time_zone', 'month'], 'calendar');
  const { time_zone: timeZone = present.timeZone, month = present.month } = object;
  if (typeof timeZone !== 'string' || !isTimeZone(timeZone)) {
    return field.refuse(
      'calendar.time_zone',
      'باید نامی مانند Asia/Tehran باشد.',
      'must be a name such as Asia/Tehran.',
    );
  }
  if (month !== 'jalali' && month !== 'gregorian') {
    return field.refuse('calendar.month', 'باید jalali یا gregorian باشد.', 'must be jalali or gregorian.');
  }
  return { timeZone, month };
}

export function renderCalendar({ timeZone, month }: Calendar): JsonObject {
  return { time_zone: timeZone, month };
}

/** Asking the engine costs a tenth of a millisecond, and every key that is loaded names one. Bounded by the zones that exist. */
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
