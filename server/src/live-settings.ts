/** The operator's settings that may change while the service runs: stored, heard of by every replica, in force at once. */
import type { SettingStore } from './accounts/index.ts';
import { limitsByField, type Settings } from './config/index.ts';
import { GatewayError, invalidRequest } from './core/errors.ts';
import { expected } from './core/expected.ts';
import { LIVE_SETTING_FIELDS } from './core/fields/index.ts';
import type { Json } from './core/json.ts';
import { type Money, parseToman, toTomanText } from './core/money.ts';
import { reasons } from './core/reasons.ts';
import type { GatewaySettings } from './gateway/index.ts';
import type { LiveSettings, SettingsChange } from './http/index.ts';
import type { LivePeopleSettings } from './people/index.ts';
import type { Log } from './platform/log.ts';

const CHANGEABLE = Object.keys(LIVE_SETTING_FIELDS);

export interface LiveSettingsOptions {
  store: SettingStore;
  file: Settings;
  /** The request path reads these at every use. */
  inForce: GatewaySettings;
  /** Everything about people reads these at every use. */
  people: LivePeopleSettings;
  followPeople(): Promise<void>;
  /** In force now. */
  pricing(): Promise<{ exchangeRate: string; margin: string; sources: { exchange_rate: string; margin: string } }>;
  log: Log;
}

export async function createLiveSettings(options: LiveSettingsOptions): Promise<LiveSettings> {
  const { store, file, inForce, people, log } = options;
  const { limits } = file;
  const fixed = (name: string) => file.namedInFile.includes(name);
  const read = async () => {
    const stored = await store.all();
    if (!fixed('wallet_minimum')) inForce.walletMinimum = amountOf(stored.get('wallet_minimum')) ?? file.walletMinimum;
    const charge = stored.get('charge_interrupted');
    if (!fixed('charge_interrupted'))
      inForce.chargeInterrupted = typeof charge === 'boolean' ? charge : file.chargeInterrupted;
    return stored;
  };
  await read();
  store.watch(() => {
    read().catch((error: unknown) => log.warn({ err: error }, 'settings could not be read; the last ones stay'));
  });

  const sourcesOf = (stored: ReadonlyMap<string, Json>) => {
    const inFile = new Set(file.namedInFile);
    const sourceOf = (name: string) => (inFile.has(name) ? 'file' : stored.has(name) ? 'database' : 'default');
    const names = [...CHANGEABLE, ...Object.keys(limitsByField(file.limits))];
    return Object.fromEntries(names.map((name) => [name, sourceOf(name)]));
  };

  const view = async () => {
    const stored = await read();
    const pricing = await options.pricing();
    return {
      object: 'settings',
      wallet_minimum: toTomanText(inForce.walletMinimum),
      charge_interrupted: inForce.chargeInterrupted,
      exchange_rate: pricing.exchangeRate,
      margin: pricing.margin,
      sources: { ...sourcesOf(stored), ...pricing.sources },
      limits: limitsByField(file.limits),
      registration: people.registration,
      welcome_credit: toTomanText(people.welcomeCredit),
      staff_second_factor: people.staffSecondFactor,
      operator_tokens: people.operatorTokens,
      suppliers_shown: people.suppliersShown,
      retention: {
        request_log_days: limits.logRetentionDays,
        idempotency_ms: limits.idempotencyKeepMs,
        stored_responses_ms: limits.responseStoreKeepMs,
        prompt_log_max_days: limits.promptLogMaxDays,
        uptime_days: limits.uptimeHistoryDays,
      },
      fixed_by_file: [...file.namedInFile],
    };
  };
  return {
    view,
    async change(patch, actor) {
      const values = valuesOf(patch);
      for (const [name] of values) if (fixed(name)) throw fixedByFile(name);
      for (const [name, value] of values) await store.set(name, value, actor);
      await options.followPeople();
      return view();
    },
  };
}

function valuesOf(patch: SettingsChange): [string, Json][] {
  const values: [string, Json][] = [];
  if (patch.wallet_minimum !== undefined) {
    const amount = amountOf(patch.wallet_minimum);
    if (amount === undefined)
      throw invalidRequest('wallet_minimum', reasons.mustBe('wallet_minimum', expected.tomanFromZero));
    values.push(['wallet_minimum', toTomanText(amount)]);
  }
  if (patch.welcome_credit !== undefined) {
    const amount = amountOf(patch.welcome_credit);
    if (amount === undefined)
      throw invalidRequest('welcome_credit', reasons.mustBe('welcome_credit', expected.tomanFromZero));
    values.push(['welcome_credit', toTomanText(amount)]);
  }
  const { charge_interrupted, registration, staff_second_factor, operator_tokens, suppliers_shown } = patch;
  const plain = { charge_interrupted, registration, staff_second_factor, operator_tokens, suppliers_shown };
  for (const [name, value] of Object.entries(plain)) if (value !== undefined) values.push([name, value]);
  return values;
}

function amountOf(value: Json | undefined): Money | undefined {
  const amount = typeof value === 'string' || typeof value === 'number' ? parseToman(value) : undefined;
  return amount !== undefined && amount >= 0n ? amount : undefined;
}

function fixedByFile(param: string): GatewayError {
  return new GatewayError('conflict', {
    param,
    reason: {
      fa: 'این تنظیم در پروندهٔ تنظیم تعیین شده و فقط همان‌جا تغییر می‌کند.',
      en: 'This setting is in the configuration file and changes only there.',
    },
  });
}
