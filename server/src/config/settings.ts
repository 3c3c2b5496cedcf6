/** The operator's settings with their defaults. Each bound has its reason; a value outside it is a mistake, not a wish. */
import type { Rates, Timeouts } from '../catalog/index.ts';
import type { Fields } from '../catalog/reading/index.ts';
import { type Money, ZERO } from '../core/money.ts';
import { type Calendar, DEFAULT_CALENDAR } from '../keys/index.ts';

export const LANES = ['on', 'off'] as const;
export type Lane = (typeof LANES)[number];
export const UPSTREAM_CLIENTS = ['own', 'node'] as const;
export type UpstreamClient = (typeof UPSTREAM_CLIENTS)[number];

export interface Settings {
  /** Addresses or CIDR of proxies whose X-Forwarded-For is believed. None by default: anybody can write that header. */
  trustedProxies: string[];
  /** Hosts (`name` or `name:port`) of the operator's own network that a customer's picture or page address may lead to. */
  fetchAllowedHosts: string[];
  walletMinimum: Money;
  chargeInterrupted: boolean;
  /** Prompts and answers in logs: never, unless the operator says so. */
  logPrompts: boolean;
  /** Ask for model servers on this machine at start. */
  discovery: boolean;
  sandbox: boolean;
  /** `off`: Node's own server reads every request. */
  lane: Lane;
  /** `node`: Node's own client calls the providers. */
  upstreamClient: UpstreamClient;
  timeouts: Timeouts;
  limits: Limits;
  /** Settings that the file itself names; these change only there. */
  namedInFile: readonly string[];
}

export interface MoneySettings {
  /** Decimal text. undefined: not in the file, so the operator's stored terms or the defaults apply. */
  exchangeRate: string | undefined;
  margin: string | undefined;
  calendar: Calendar;
  /** For models found on the operator's own machine, which no list prices. */
  localRates: Rates;
}

/** Used when neither the file nor the operator names a rate. A round figure that shows in the first catalog page. */
export const DEFAULT_TERMS = { exchangeRate: '100000', margin: '0.1' };
const DEFAULT_LOCAL_RATES: Rates = { perUnit: { inputFresh: 1000n, output: 1000n }, perRequest: 0n };

interface Limit {
  field: string;
  initial: number;
  min: number;
  max: number;
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const KIB = 1024;
const MIB = 1024 * KIB;

/** Field name in the file, default, bounds. */
const LIMITS = {
  // What a caller who says nothing is held for; too high locks small wallets out, too low overruns them.
  defaultOutputTokens: { field: 'default_output_tokens', initial: 1024, min: 16, max: 1_000_000 },
  // A running answer takes this much more at a time, so a cap is passed by at most this much; smaller asks more often.
  holdStepTokens: { field: 'hold_step_tokens', initial: 512, min: 16, max: 100_000 },
  // Below a handful a mistyped key locks its office out; above this guessing keys becomes cheap.
  authFailuresPerMinute: { field: 'auth_failures_per_minute', initial: 3000, min: 5, max: 1_000_000 },
  // Large enough for a page of images in base64; every running request may hold it in memory once.
  maxBodyBytes: { field: 'max_body_bytes', initial: 32 * MIB, min: 64 * KIB, max: 512 * MIB },
  // All large bodies in memory at one moment; beyond it new ones get 503.
  maxBodiesTotalBytes: { field: 'max_bodies_total_bytes', initial: 512 * MIB, min: 1 * MIB, max: 1024 * 1024 * MIB },
  // Of one address that is no listed proxy. A busy server of a customer holds some hundred.
  maxConnectionsPerAddress: { field: 'max_connections_per_address', initial: 2_000, min: 1, max: 1_000_000 },
  // Refused requests of one key: a client that tries again in a loop is told to wait.
  refusalsPerMinute: { field: 'refusals_per_minute', initial: 1_000, min: 10, max: 1_000_000 },
  // OpenAI's own limit on audio files is 25 MB.
  maxUploadBytes: { field: 'max_upload_bytes', initial: 32 * MIB, min: 64 * KIB, max: 512 * MIB },
  // All uploads that wait on disk at one moment; beyond it new ones get 503 instead of filling the disk of the journal.
  maxUploadsTotalBytes: { field: 'max_uploads_total_bytes', initial: 4096 * MIB, min: 1 * MIB, max: 1024 * 1024 * MIB },
  // OpenAI's own limit; other providers of speech take more.
  maxSpeechCharacters: { field: 'max_speech_characters', initial: 4096, min: 1, max: 1_000_000 },
  maxResponseBytes: { field: 'max_response_bytes', initial: 64 * MIB, min: 1 * MIB, max: 512 * MIB },
  // Each one is a socket on both sides; beyond it new requests get 503 instead of slowing all.
  maxConcurrentRequests: { field: 'max_concurrent_requests', initial: 8000, min: 1, max: 100_000 },
  // A process this far behind gets slower with every request it takes; new ones get 503 until it has caught up.
  maxEventLoopLagMs: { field: 'max_event_loop_lag_ms', initial: 3000, min: 50, max: 600 * SECOND },
  // Records waiting for the database; when full, requests are refused, for their charges could be lost.
  journalMaxRecords: { field: 'journal_max_records', initial: 1_000_000, min: 1000, max: 50_000_000 },
  journalMaxBytes: { field: 'journal_max_bytes', initial: 1024 * MIB, min: 8 * MIB, max: 1024 * 1024 * MIB },
  // How much a power cut may lose; 0 waits for the disk with every batch.
  journalSyncMs: { field: 'journal_sync_ms', initial: 50, min: 0, max: 10 * SECOND },
  idempotencyMaxEntries: { field: 'idempotency_max_entries', initial: 10_000, min: 0, max: 1_000_000 },
  idempotencyMaxAnswerBytes: { field: 'idempotency_max_answer_bytes', initial: 1 * MIB, min: 1 * KIB, max: 64 * MIB },
  // The newest answers, in memory: a retry comes within minutes, and the database has the rest.
  idempotencyMaxTotalBytes: { field: 'idempotency_max_total_bytes', initial: 32 * MIB, min: 1 * KIB, max: 4096 * MIB },
  // In the database, for other replicas and after a restart. Beyond it the oldest answers go and their keys answer 409; 0 stores
  // no answer there, only that it was given.
  idempotencyMaxAccountBytes: {
    field: 'idempotency_max_account_bytes',
    initial: 64 * MIB,
    min: 0,
    max: 1024 * 1024 * MIB,
  },
  // Beyond it the oldest keys are forgotten before their time.
  idempotencyMaxAccountEntries: {
    field: 'idempotency_max_account_entries',
    initial: 100_000,
    min: 100,
    max: 10_000_000,
  },
  // SDKs retry within minutes; a day is what payment services keep.
  idempotencyKeepMs: { field: 'idempotency_keep_ms', initial: 24 * HOUR, min: SECOND, max: 7 * 24 * HOUR },
  // Answers a client may continue by id; 0 stores none. OpenAI keeps them thirty days.
  responseStoreKeepMs: { field: 'response_store_keep_ms', initial: 30 * 24 * HOUR, min: 0, max: 365 * 24 * HOUR },
  // The newest of them, in memory: a conversation's next turn comes within minutes, and the database has the rest.
  responseStoreMaxBytes: { field: 'response_store_max_bytes', initial: 16 * MIB, min: 0, max: 4096 * MIB },
  responseStoreMaxResponseBytes: {
    field: 'response_store_max_response_bytes',
    initial: 4 * MIB,
    min: 1 * KIB,
    max: 64 * MIB,
  },
  responseStoreMaxPerAccount: { field: 'response_store_max_per_account', initial: 10_000, min: 1, max: 10_000_000 },
  logRetentionDays: { field: 'log_retention_days', initial: 90, min: 1, max: 3650 },
  // Proxies commonly close a silent connection after 30 to 60 s.
  keepAliveMs: { field: 'keepalive_ms', initial: 15 * SECOND, min: SECOND, max: 60 * SECOND },
  // A phone may lose its network for half a minute; a reader that never comes back must not hold a provider's stream.
  readerIdleMs: { field: 'reader_idle_ms', initial: 60 * SECOND, min: SECOND, max: HOUR },
  // A slow sender holds a connection and what it sent so far; a large picture over a bad line takes a minute.
  requestMs: { field: 'request_ms', initial: 120 * SECOND, min: SECOND, max: HOUR },
  totalDeadlineMs: { field: 'total_deadline_ms', initial: 600 * SECOND, min: SECOND, max: 2 * HOUR },
  // Knowledge bases: per account, per base, per document, and all of an account's documents together.
  knowledgeMaxBases: { field: 'knowledge_max_bases', initial: 100, min: 0, max: 100_000 },
  knowledgeMaxDocuments: { field: 'knowledge_max_documents', initial: 2000, min: 0, max: 1_000_000 },
  // A document is held in memory while it is read, and stored in one row until then.
  knowledgeMaxDocumentBytes: { field: 'knowledge_max_document_bytes', initial: 20 * MIB, min: KIB, max: 256 * MIB },
  knowledgeMaxTotalBytes: {
    field: 'knowledge_max_total_bytes',
    initial: 1024 * MIB,
    min: 0,
    max: 1024 * 1024 * MIB,
  },
  // Held for by every request that names a base, whether so much is found or not.
  knowledgeContextTokens: { field: 'knowledge_context_tokens', initial: 3000, min: 256, max: 200_000 },
  // Each reads in a thread of its own.
  knowledgeParallelReading: { field: 'knowledge_parallel_reading', initial: 2, min: 1, max: 64 },
  // How long a stopping server waits for running streams.
  drainMs: { field: 'drain_ms', initial: 30 * SECOND, min: 0, max: HOUR },
} as const satisfies Record<string, Limit>;

export type Limits = Record<keyof typeof LIMITS, number>;

export const DEFAULT_SETTINGS: Settings = {
  trustedProxies: [],
  fetchAllowedHosts: [],
  walletMinimum: ZERO,
  chargeInterrupted: true,
  logPrompts: false,
  discovery: true,
  sandbox: true,
  lane: 'on',
  upstreamClient: 'own',
  // Reasoning models may think for minutes before their first word.
  timeouts: {
    connectMs: 5 * SECOND,
    firstEventMs: 120 * SECOND,
    wholeAnswerMs: 600 * SECOND,
    idleMs: 120 * SECOND,
    totalMs: 600 * SECOND,
  },
  limits: Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, limit.initial])) as Limits,
  namedInFile: [],
};

export const DEFAULT_MONEY: MoneySettings = {
  exchangeRate: undefined,
  margin: undefined,
  calendar: DEFAULT_CALENDAR,
  localRates: DEFAULT_LOCAL_RATES,
};

export function readLimits(fields: Fields): Limits {
  const limits = { ...DEFAULT_SETTINGS.limits };
  for (const [name, limit] of Object.entries(LIMITS)) {
    const value = fields.whole(limit.field, limit);
    if (value !== undefined) limits[name as keyof Limits] = value;
  }
  return limits;
}
