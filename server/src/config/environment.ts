/**
 * The environment variables that decide how this process runs. Secrets of vendors are not here: each vendor's file
 * names its own. A wrong value stops the start with its name and what it should be; a silent default would be found out
 * only in production.
 */

import type { Finding } from '../catalog/reading/index.ts';
import { type Money, parseToman } from '../core/money.ts';
import { withoutTrailing } from '../core/trailing.ts';
import { isPlausibleKeyText, parseRange } from '../keys/index.ts';
import { isRedisAddress } from '../platform/redis/index.ts';
import { type OtlpSettings, readOtlpSettings } from '../platform/telemetry/index.ts';
import type { UpstreamClient } from '../platform/upstream/index.ts';
import { type EnvironmentEgress, readEnvironmentEgress } from '../platform/upstream/index.ts';
import { type MessageSettings, readMessageSettings } from './messages.ts';
import { isProduction, type Sandbox, sandboxesOf, wrongSandbox } from './production.ts';
import { FAST_PATH_SWITCHES, type FastPathSwitch, UPSTREAM_CLIENTS } from './settings.ts';
import type { Variables } from './variables.ts';
import type { ConfigFile } from './yaml.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];
const SWITCH = ['on', 'off'] as const;

export interface ProcessEnvironment {
  /** In production, values that are only for trial use are refused; see production.ts. */
  production: boolean;
  sandboxes: ReadonlySet<Sandbox>;
  /**
   * Play money for the first account at first start; undefined: none in production, enough to try the service
   * elsewhere.
   */
  firstCredit: Money | undefined;
  /** 0 asks the system for a free port, as tests do. */
  port: number;
  host: string;
  dataDir: string;
  /** Path of the YAML file. */
  configFile: string | undefined;
  /** Text of the first account's API key, at first start. */
  bootstrapKey: string | undefined;
  /**
   * `https://…` as customers see this service: payment gateways send customers back there. undefined: taken from each
   * request.
   */
  publicUrl: string | undefined;
  /** Trusted proxies in addition to those of the file, for deployments that know what stands in front. */
  trustedProxies: string[];
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  /** ClickHouse (`http…`) or a PostgreSQL database: days go there that the request log would forget. */
  logArchiveUrl: string | undefined;
  /** How old they get there. */
  logArchiveDays: number;
  /** After this time Redis counts as slow: it is not asked for a while, and limits are kept by leases. */
  redisDeadlineMs: number;
  /** Encrypts provider secrets at rest; undefined: one is made and kept in the data directory. */
  masterKey: string | undefined;
  /** Bearer of the operator API; undefined: one is made at first start. */
  operatorToken: string | undefined;
  /** Bearer of /metrics and of nothing else; undefined: only the operator's tokens open it. */
  metricsToken: string | undefined;
  logLevel: LogLevel;
  /** One line for every request answered. */
  accessLog: boolean;
  /** Looks for model servers on this machine at start. */
  discovery: boolean;
  /** Both take precedence over the configuration file. */
  lane: FastPathSwitch | undefined;
  upstreamClient: UpstreamClient | undefined;
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  egress: EnvironmentEgress;
  /** Where traces and metrics are sent; undefined when they are not sent. */
  otlp: OtlpSettings | undefined;
  messages: MessageSettings;
}

export interface ReadEnvironment {
  environment: ProcessEnvironment;
  mistakes: Finding[];
}

const DEFAULT_PORT = 8080;
const DEFAULT_REDIS_DEADLINE_MS = 250;
const DEFAULT_LOG_ARCHIVE_DAYS = 365;
/** Loopback, so that a first start cannot be reached from the network. */
const DEFAULT_HOST = '127.0.0.1';
/** The operator token opens everything, and a shorter one can be guessed over the network. */
const MIN_TOKEN_CHARACTERS = 16;
/** A master key has 32 bytes, because secrets are encrypted with AES-256. */
const MASTER_KEY_BYTES = 32;

export function readEnvironment(variables: Variables): ReadEnvironment {
  const mistakes: Finding[] = [];
  const get = (name: string) => variables[name]?.trim() || undefined;
  const refuse = (path: string, message: string): undefined => {
    mistakes.push({ path, message, line: undefined });
    return undefined;
  };
  const address = (name: string, schemes: string[]) => {
    const text = get(name);
    if (text === undefined) return undefined;
    const scheme = URL.canParse(text) ? new URL(text).protocol.slice(0, -1) : undefined;
    // The value is not repeated: it may hold a password.
    return scheme !== undefined && schemes.includes(scheme)
      ? text
      : refuse(name, `must be an address beginning with ${schemes.map((one) => `${one}://`).join(' or ')}`);
  };
  const secret = (name: string, least: number) => {
    const text = get(name);
    return text === undefined || text.length >= least
      ? text
      : refuse(name, `must be at least ${least} characters long`);
  };
  const choice = <T extends string>(name: string, allowed: readonly T[]) => {
    const text = get(name);
    return text === undefined
      ? undefined
      : (allowed.find((one) => one === text) ?? refuse(name, `must be one of ${allowed.join(', ')}, but is "${text}"`));
  };
  const whole = (name: string, least: number, max: number) => {
    const text = get(name);
    if (text === undefined) return undefined;
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return number >= least && number <= max
      ? number
      : refuse(name, `must be a number from ${least} to ${max}, but is "${text}"`);
  };
  const publicUrl = address('DARGAH_PUBLIC_URL', ['https', 'http']);
  const bootstrapKey = get('DARGAH_BOOTSTRAP_KEY');
  if (bootstrapKey !== undefined && !isPlausibleKeyText(bootstrapKey))
    refuse(
      'DARGAH_BOOTSTRAP_KEY',
      'must be 8 to 200 visible ASCII characters; one in the form of a generated key must have its checksum',
    );

  const wrong = wrongSandbox(variables);
  if (wrong) refuse('DARGAH_SANDBOX', `must list ${wrong.allowed.join(', ')} with commas, but has "${wrong.name}"`);

  const environment: ProcessEnvironment = {
    production: isProduction(variables),
    sandboxes: sandboxesOf(variables),
    firstCredit: readFirstCredit(get('DARGAH_FIRST_CREDIT'), refuse),
    port: whole('PORT', 0, 65_535) ?? DEFAULT_PORT,
    host: get('HOST') ?? DEFAULT_HOST,
    dataDir: get('DARGAH_DATA_DIR') ?? './data',
    configFile: get('DARGAH_CONFIG'),
    bootstrapKey,
    publicUrl: publicUrl === undefined ? undefined : withoutTrailing(publicUrl, '/'),
    trustedProxies: readProxies(get('DARGAH_TRUSTED_PROXIES'), refuse),
    databaseUrl: address('DATABASE_URL', ['postgres', 'postgresql']),
    redisUrl: readRedisUrl(get('REDIS_URL'), refuse),
    logArchiveUrl: address('DARGAH_LOG_ARCHIVE_URL', ['http', 'https', 'postgres', 'postgresql']),
    logArchiveDays: whole('DARGAH_LOG_ARCHIVE_DAYS', 1, 36_500) ?? DEFAULT_LOG_ARCHIVE_DAYS,
    redisDeadlineMs: whole('DARGAH_REDIS_DEADLINE_MS', 10, 30_000) ?? DEFAULT_REDIS_DEADLINE_MS,
    masterKey: readMasterKey(get('DARGAH_MASTER_KEY'), refuse),
    operatorToken: secret('DARGAH_OPERATOR_TOKEN', MIN_TOKEN_CHARACTERS),
    metricsToken: secret('DARGAH_METRICS_TOKEN', MIN_TOKEN_CHARACTERS),
    logLevel: readLogLevel(get('DARGAH_LOG_LEVEL'), refuse),
    accessLog: choice('DARGAH_ACCESS_LOG', SWITCH) === 'on',
    discovery: readSwitch(get('DARGAH_DISCOVERY'), refuse),
    lane: choice('DARGAH_LANE', FAST_PATH_SWITCHES),
    upstreamClient: choice('DARGAH_UPSTREAM_CLIENT', UPSTREAM_CLIENTS),
    egress: readEnvironmentEgress(variables, refuse),
    otlp: readOtlpSettings(variables, refuse),
    messages: readMessageSettings(variables, refuse),
  };
  return { environment, mistakes };
}

type Refuse = (name: string, message: string) => undefined;

/** The value is not repeated: it may hold a password. */
function readRedisUrl(text: string | undefined, refuse: Refuse): string | undefined {
  if (text === undefined || isRedisAddress(text)) return text;
  return refuse('REDIS_URL', 'must be redis://…, rediss://…, or the nodes of a cluster: redis-cluster://a:7000,b:7000');
}

function readMasterKey(text: string | undefined, refuse: Refuse): string | undefined {
  const keys = text?.split(/[\s,]+/) ?? [];
  if (keys.every((key) => Buffer.from(key, 'base64').length === MASTER_KEY_BYTES)) return text;
  return refuse('DARGAH_MASTER_KEY', `must hold ${MASTER_KEY_BYTES} bytes in base64 (openssl rand -base64 32)`);
}

function readFirstCredit(text: string | undefined, refuse: Refuse): Money | undefined {
  if (text === undefined) return undefined;
  const amount = /^\d{1,12}$/.test(text) ? parseToman(text) : undefined;
  return amount ?? refuse('DARGAH_FIRST_CREDIT', `must be whole toman, but is "${text}"`);
}

function readProxies(text: string | undefined, refuse: Refuse): string[] {
  const proxies = text?.split(/[\s,]+/).filter((one) => one !== '') ?? [];
  const wrong = proxies.find((one) => !parseRange(one));
  if (wrong === undefined) return proxies;
  refuse('DARGAH_TRUSTED_PROXIES', `must list IP addresses or CIDR ranges with commas, but has "${wrong}"`);
  return [];
}

function readLogLevel(text: string | undefined, refuse: Refuse): LogLevel {
  const level = LOG_LEVELS.find((one) => one === text);
  if (text !== undefined && level === undefined)
    refuse('DARGAH_LOG_LEVEL', `must be one of ${LOG_LEVELS.join(', ')}, but is "${text}"`);
  return level ?? 'info';
}

function readSwitch(text: string | undefined, refuse: Refuse): boolean {
  if (text === undefined || text === 'on') return true;
  if (text !== 'off') refuse('DARGAH_DISCOVERY', `must be on or off, but is "${text}"`);
  return false;
}

/** The file's settings, replaced by the environment's where it names one; proxies of both are trusted. */
export function withEnvironment(config: ConfigFile, environment: ProcessEnvironment): ConfigFile {
  const { settings } = config;
  const { lane, upstreamClient, trustedProxies, logArchiveUrl, logArchiveDays } = environment;
  return {
    ...config,
    settings: {
      ...settings,
      trustedProxies: [...settings.trustedProxies, ...trustedProxies],
      sandbox: settings.sandbox ?? environment.sandboxes.has('models'),
      lane: lane ?? settings.lane,
      upstreamClient: upstreamClient ?? settings.upstreamClient,
      limits: logArchiveUrl === undefined ? settings.limits : { ...settings.limits, logArchiveDays },
    },
  };
}
