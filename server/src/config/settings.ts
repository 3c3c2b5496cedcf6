/** The operator's settings with their defaults. Each bound has its reason; a value outside it is a mistake, not a preference. */

import { LIMIT_FIELDS, LIVE_SETTING_FIELDS, TIMEOUT_FIELDS } from '@dargah/core/fields/index.ts';
import type { Rates, Timeouts } from '../catalog/index.ts';
import type { Fields } from '../catalog/reading/index.ts';
import { type Money, ZERO } from '../core/money.ts';
import { type Calendar, DEFAULT_CALENDAR } from '../keys/index.ts';
import type { UpstreamClient } from '../platform/upstream/index.ts';

export const FAST_PATH_SWITCHES = ['on', 'off'] as const;
export type FastPathSwitch = (typeof FAST_PATH_SWITCHES)[number];
export const UPSTREAM_CLIENTS = ['own', 'node'] as const satisfies UpstreamClient[];

export interface Settings {
  /** Addresses or CIDR of proxies whose X-Forwarded-For is believed. None by default: anybody can write that header. */
  trustedProxies: string[];
  /** Hosts (`name` or `name:port`) of the operator's own network that a customer's picture or page address may lead to. */
  fetchAllowedHosts: string[];
  walletMinimum: Money;
  chargeInterrupted: boolean;
  /** Tokens per second that are charged for hidden reasoning until the model's own rate is measured. */
  hiddenTokensPerSecond: number;
  /** Ask for model servers on this machine at start. */
  discovery: boolean;
  /** Whether the simulated models are there; undefined: the file does not say. */
  sandbox: boolean | undefined;
  /** `off`: Node's own HTTP server reads every request. */
  lane: FastPathSwitch;
  /** `node`: Node's own client calls the providers. */
  upstreamClient: UpstreamClient;
  timeouts: Timeouts;
  /** With an archive of the request log also how old its days get there. */
  limits: Limits & { logArchiveDays?: number };
  /** Settings that the file names; they can only be changed in the file. */
  namedInFile: readonly string[];
}

export interface MoneySettings {
  /** Decimal text. undefined: not in the file, so the operator's stored terms or the defaults apply. */
  exchangeRate: string | undefined;
  margin: string | undefined;
  calendar: Calendar;
  /** Prices of models found on the operator's own machine, which no price list has. */
  localRates: Rates;
}

/**
 * The rate when neither the file nor the operator sets one: a round figure, so that the first catalog page shows that
 * it is a placeholder.
 */
export const DEFAULT_TERMS = { exchangeRate: '100000', margin: '0.1' };
const DEFAULT_LOCAL_RATES: Rates = { perUnit: { inputFresh: 1000n, output: 1000n }, perRequest: 0n };

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** Under the names of the code: `max_body_bytes` is `maxBodyBytes` here. */
export type Limits = { -readonly [Name in keyof typeof LIMIT_FIELDS as CamelCase<Name>]: number };

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function initialOf(table: typeof LIMIT_FIELDS | typeof TIMEOUT_FIELDS): Record<string, number> {
  return Object.fromEntries(Object.entries(table).map(([name, { initial }]) => [camelCase(name), initial]));
}

export const DEFAULT_SETTINGS: Settings = {
  trustedProxies: [],
  fetchAllowedHosts: [],
  walletMinimum: ZERO,
  chargeInterrupted: true,
  hiddenTokensPerSecond: LIVE_SETTING_FIELDS.hidden_tokens_per_second.initial,
  discovery: true,
  sandbox: undefined,
  lane: 'on',
  upstreamClient: 'own',
  timeouts: initialOf(TIMEOUT_FIELDS) as unknown as Timeouts,
  limits: initialOf(LIMIT_FIELDS) as Limits,
  namedInFile: [],
};

export const DEFAULT_MONEY: MoneySettings = {
  exchangeRate: undefined,
  margin: undefined,
  calendar: DEFAULT_CALENDAR,
  localRates: DEFAULT_LOCAL_RATES,
};

export function readLimits(fields: Fields): Limits {
  const limits: Record<string, number> = { ...DEFAULT_SETTINGS.limits };
  for (const [name, field] of Object.entries(LIMIT_FIELDS)) {
    const value = fields.whole(name, field);
    if (value !== undefined) limits[camelCase(name)] = value;
  }
  return limits as Limits;
}

/** The bounds under the names of the file. */
export function limitsByField(limits: Limits): Record<string, number> {
  const values = limits as unknown as Record<string, number>;
  return Object.fromEntries(Object.keys(LIMIT_FIELDS).map((name) => [name, values[camelCase(name)] ?? 0]));
}
