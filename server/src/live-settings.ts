/** The operator's settings that may change while the service runs: stored, heard of by every replica, in force at once. */

import { LIVE_SETTING_FIELDS, RETENTION_FIELDS } from '@dargah/core/fields/index.ts';
import { limitsByField, type Settings } from './config/index.ts';
import { GatewayError, invalidRequest } from './core/errors.ts';
import { expected } from './core/expected.ts';
import type { Json } from './core/json.ts';
import { type Money, parseToman, toTomanText, ZERO } from './core/money.ts';
import { reasons } from './core/reasons.ts';
import type { GatewaySettings } from './gateway/index.ts';
import type { LiveSettings, SettingsChange } from './http/index.ts';
import { applyNumbers, numbersInForce } from './live-numbers.ts';
import { applyRetention, retentionInForce } from './live-retention.ts';
import type { LivePeopleSettings } from './people/index.ts';
import type { Log } from './platform/log.ts';
import type { SettingStore } from './platform/setting-store.ts';

const FIELDS = { ...LIVE_SETTING_FIELDS, ...RETENTION_FIELDS };
type LiveSetting = keyof typeof FIELDS;
const CHANGEABLE = Object.keys(FIELDS) as LiveSetting[];

export interface LiveSettingsOptions {
  store: SettingStore;
  /** As the file has them; how long things are kept follows what is stored. */
  file: Settings;
  /** The request path reads these at every use. */
  inForce: GatewaySettings;
  /** Everything about people reads these at every use. */
  people: LivePeopleSettings;
  followPeople(): Promise<void>;
  /** Throws GatewayError where the model is not there or cannot rerank. */
  checkReranker(model: string): void;
  /** Throws GatewayError, with `param`, where the model is not there or is no chat model. */
  checkAutoModel(model: string, param: string): void;
  /** In force now. */
  pricing(): Promise<{ exchangeRate: string; margin: string; sources: { exchange_rate: string; margin: string } }>;
  log: Log;
}

export async function createLiveSettings(options: LiveSettingsOptions): Promise<LiveSettings> {
  const { store, file, inForce, people, log } = options;
  const { limits } = file;
  const fixed = (name: string) => file.namedInFile.includes(name);
  const follow = (stored: ReadonlyMap<string, Json>) => {
    if (!fixed('wallet_minimum')) inForce.walletMinimum = amountOf(stored.get('wallet_minimum')) ?? file.walletMinimum;
    const charge = stored.get('charge_interrupted');
    if (!fixed('charge_interrupted'))
      inForce.chargeInterrupted = typeof charge === 'boolean' ? charge : file.chargeInterrupted;
    if (!fixed('hidden_tokens_per_second'))
      inForce.hiddenTokensPerSecond = numberOf(stored.get('hidden_tokens_per_second')) ?? file.hiddenTokensPerSecond;
    applyStored(inForce, stored);
    applyRetention(file, stored);
    return stored;
  };
  const read = async () => follow(await store.all());
  follow(await store.atStart());
  store.watch(() => {
    read().catch((error: unknown) => log.warn({ err: error }, 'settings could not be read; the last ones stay'));
  });

  const sourcesOf = (stored: ReadonlyMap<string, Json>) => {
    const inFile = new Set(file.namedInFile);
    const sourceOf = (name: string) => (inFile.has(name) ? 'file' : stored.has(name) ? 'database' : 'default');
    const names = [...CHANGEABLE, ...Object.keys(limitsByField(file.limits))];
    return Object.fromEntries(names.map((name) => [name, sourceOf(name)]));
  };

  const valuesInForce = () => ({
    wallet_minimum: toTomanText(inForce.walletMinimum),
    charge_interrupted: inForce.chargeInterrupted,
    hidden_tokens_per_second: inForce.hiddenTokensPerSecond,
    knowledge_rerank_model: inForce.knowledgeRerankModel,
    conformance_budget: toTomanText(inForce.conformanceBudget),
    ...numbersInForce(inForce),
    ...routingInForce(inForce),
    registration: people.registration,
    welcome_credit: toTomanText(people.welcomeCredit),
    staff_second_factor: people.staffSecondFactor,
    operator_tokens: people.operatorTokens,
    list_prices_shown: people.listPricesShown,
    suppliers_shown: people.suppliersShown,
    messages_per_day: people.messagesPerDay,
    ...retentionInForce(file),
  });

  const view: LiveSettings['view'] = async () => {
    const stored = await read();
    const pricing = await options.pricing();
    return {
      object: 'settings',
      ...valuesInForce(),
      exchange_rate: pricing.exchangeRate,
      margin: pricing.margin,
      sources: { ...sourcesOf(stored), ...pricing.sources },
      limits: limitsByField(file.limits),
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
      if (patch.knowledge_rerank_model != null) options.checkReranker(patch.knowledge_rerank_model);
      for (const [at, model] of (patch.auto_models ?? []).entries()) options.checkAutoModel(model, `auto_models.${at}`);
      if (people.isProduction && patch.staff_second_factor === false) throw neededInProduction();
      for (const [name, value] of values) await store.set(name, value, actor);
      await options.followPeople();
      return view();
    },
  };
}

/** What never stands in the file. */
function applyStored(inForce: GatewaySettings, stored: ReadonlyMap<string, Json>): void {
  const reranker = stored.get('knowledge_rerank_model');
  inForce.knowledgeRerankModel = typeof reranker === 'string' ? reranker : null;
  inForce.conformanceBudget = amountOf(stored.get('conformance_budget')) ?? ZERO;
  inForce.ownKeys = stored.get('own_keys') === true;
  applyNumbers(inForce, stored);
  const auto = stored.get('auto_models');
  inForce.autoModels = Array.isArray(auto) ? auto.filter((one) => typeof one === 'string') : [];
}

function routingInForce({ ownKeys, autoModels }: GatewaySettings) {
  return {
    own_keys: ownKeys,
    auto_models: autoModels.length === 0 ? null : [...autoModels],
  };
}

/** As they are stored. The schema has checked all but amounts, whose text may be anything. */
function valuesOf(patch: SettingsChange): [string, Json][] {
  const values: [string, Json][] = [];
  for (const name of CHANGEABLE) {
    const value = patch[name];
    if (value !== undefined) values.push([name, FIELDS[name].kind === 'toman' ? tomanText(name, value) : value]);
  }
  return values;
}

function tomanText(name: LiveSetting, value: Json): string {
  const amount = amountOf(value);
  if (amount === undefined) throw invalidRequest(name, reasons.mustBe(name, expected.tomanFromZero));
  return toTomanText(amount);
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function amountOf(value: Json | undefined): Money | undefined {
  const amount = typeof value === 'string' || typeof value === 'number' ? parseToman(value) : undefined;
  return amount !== undefined && amount >= 0n ? amount : undefined;
}

function neededInProduction(): GatewayError {
  return new GatewayError('conflict', {
    param: 'staff_second_factor',
    reason: {
      fa: 'در محیط عملیاتی، ورود دومرحله‌ای برای کارکنان همیشه لازم است.',
      en: 'In production staff always needs a second factor.',
    },
  });
}

function fixedByFile(param: string): GatewayError {
  return new GatewayError('conflict', {
    param,
    reason: {
      fa: 'این تنظیم در فایل تنظیمات تعیین شده و فقط همان‌جا تغییر می‌کند.',
      en: 'This setting is in the configuration file and changes only there.',
    },
  });
}
