/** The YAML file, read whole, with every mistake named by its path and line. Never throws. */

import { LIVE_SETTING_FIELDS } from '@dargah/core/fields/index.ts';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import {
  CATEGORIES,
  type Declaration,
  isDecimalText,
  listedModels,
  sandboxDeclaration,
  switchedOnProviders,
} from '../catalog/index.ts';
import {
  describe,
  type Environment,
  Fields,
  type Finding,
  knownProviders,
  type Path,
  Report,
  readGroups,
  readModels,
  readProviders,
  readRates,
  readTimeouts,
  readToman,
  WHOLE_FILE,
} from '../catalog/reading/index.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { parseRange } from '../keys/address-rules.ts';
import { parseCalendar } from '../keys/index.ts';
import { sandboxesOf } from './production.ts';
import { type DeclaredAccount, readAccounts } from './read-accounts.ts';
import {
  DEFAULT_MONEY,
  DEFAULT_SETTINGS,
  FAST_PATH_SWITCHES,
  type MoneySettings,
  readLimits,
  type Settings,
  UPSTREAM_CLIENTS,
} from './settings.ts';

export interface ConfigFile {
  settings: Settings;
  money: MoneySettings;
  catalog: Declaration;
  accounts: DeclaredAccount[];
  mistakes: Finding[];
  warnings: Finding[];
}

/** A larger file is refused, because the reader holds it in memory several times over. */
const MAX_FILE_CHARACTERS = 5_000_000;

export const NO_FILE: ConfigFile = {
  settings: DEFAULT_SETTINGS,
  money: DEFAULT_MONEY,
  catalog: { providers: [], models: [], groups: [] },
  accounts: [],
  mistakes: [],
  warnings: [],
};

export function readConfig(text: string, env: Environment): ConfigFile {
  if (text.length > MAX_FILE_CHARACTERS) return failed('is larger than 5,000,000 characters');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, version: '1.2', schema: 'core' });
  const [syntax] = document.errors;
  if (syntax)
    return failed(
      `is not valid YAML: ${syntax.message.split('\n', 1)[0]?.split(' at line ', 1)[0]}`,
      syntax.linePos?.[0].line,
    );
  let root: Json;
  try {
    // Converts to plain JSON values: dates, sets and cycles of YAML have no meaning here.
    root = (document.toJS({ maxAliasCount: 100 }) ?? {}) as Json;
  } catch (error) {
    return failed(`cannot be read: ${(error as Error).message}`);
  }
  const report = new Report((path) => lineOf(document, lines, path));
  if (!isJsonObject(root))
    return failed(`must be a mapping with sections such as providers and models, but is ${describe(root)}`);
  return readSections(new Fields(root, [], report), env);
}

function readSections(file: Fields, env: Environment): ConfigFile {
  const sandbox = file.flag('sandbox');
  const providers = readProviders(file.children('providers'), env);
  const simulators = (sandbox ?? sandboxesOf(env).has('models')) ? sandboxDeclaration() : NO_FILE.catalog;
  const routable = knownProviders([providers, switchedOnProviders(env), simulators.providers]);
  const models = readModels(file.children('models'), routable);
  const modelIds = new Set([...models, ...listedModels(), ...simulators.models].map((model) => model.id));
  const groups = readGroups(file.children('groups'), modelIds);
  const groupIds = new Set([...groups.map((group) => group.id), ...CATEGORIES]);
  const accounts = readAccounts(file.children('accounts'), { env, modelIds, groupIds });
  const money = readMoney(file.child('money'));
  const settings = { ...readSettings(file.child('settings')), sandbox };
  file.finish();
  const { mistakes, warnings } = file.report;
  return { settings, money, catalog: { providers, models, groups }, accounts, mistakes, warnings };
}

function readMoney(fields: Fields | undefined): MoneySettings {
  if (!fields) return DEFAULT_MONEY;
  const exchangeRate = readDecimal(fields, 'exchange_rate', 1, 1_000_000_000);
  const margin = readDecimal(fields, 'margin', 0, 10);
  const calendarValue = fields.raw('calendar');
  let { calendar } = DEFAULT_MONEY;
  try {
    calendar = parseCalendar(calendarValue);
  } catch {
    const expected = '{ time_zone: Asia/Tehran, month: jalali } with an IANA time zone and jalali or gregorian';
    fields.mistake('calendar', `must be like ${expected}`);
  }
  const local = fields.child('local_price');
  const localRates = local ? readRates(local) : DEFAULT_MONEY.localRates;
  fields.finish();
  return { exchangeRate, margin, calendar, localRates };
}

function readDecimal(fields: Fields, name: string, min: number, max: number): string | undefined {
  const value = fields.raw(name);
  if (value === undefined) return undefined;
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  if (isDecimalText(text) && Number(text) >= min && Number(text) <= max) return text;
  return fields.mistake(name, `must be a plain number from ${min} to ${max}, but is ${describe(value)}`);
}

function readSettings(fields: Fields | undefined): Settings {
  if (!fields) return DEFAULT_SETTINGS;
  const settings: Settings = {
    trustedProxies: fields.texts('trusted_proxies') ?? DEFAULT_SETTINGS.trustedProxies,
    fetchAllowedHosts: fields.texts('fetch_allowed_hosts') ?? DEFAULT_SETTINGS.fetchAllowedHosts,
    walletMinimum: readToman(fields, 'wallet_minimum') ?? DEFAULT_SETTINGS.walletMinimum,
    chargeInterrupted: fields.flag('charge_interrupted') ?? DEFAULT_SETTINGS.chargeInterrupted,
    hiddenTokensPerSecond:
      fields.whole('hidden_tokens_per_second', LIVE_SETTING_FIELDS.hidden_tokens_per_second) ??
      DEFAULT_SETTINGS.hiddenTokensPerSecond,
    discovery: fields.flag('discovery') ?? DEFAULT_SETTINGS.discovery,
    sandbox: DEFAULT_SETTINGS.sandbox,
    lane: fields.choice('lane', FAST_PATH_SWITCHES) ?? DEFAULT_SETTINGS.lane,
    upstreamClient: fields.choice('upstream_client', UPSTREAM_CLIENTS) ?? DEFAULT_SETTINGS.upstreamClient,
    timeouts: { ...DEFAULT_SETTINGS.timeouts, ...readTimeouts(fields.child('timeouts')) },
    limits: readLimits(fields),
    namedInFile: fields.names(),
  };
  settings.trustedProxies.forEach((address, index) => {
    if (parseRange(address)) return;
    fields.report.mistake(
      [...fields.at('trusted_proxies'), index],
      `must be an IP address or CIDR range, but is "${address}"`,
    );
  });
  fields.finish();
  return settings;
}

/** The line of the nearest node that exists: for a missing field, its parent's. */
function lineOf(document: Document, lines: LineCounter, path: Path): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}

function failed(message: string, line?: number): ConfigFile {
  return { ...NO_FILE, mistakes: [{ path: WHOLE_FILE, message, line }] };
}
