/** Everything the request path needs, as ports. Built once, in wiring/request-path.ts. */
import type { Admission } from '../admission/index.ts';
import type { CatalogSnapshot, Provider } from '../catalog/index.ts';
import type { StreamAnswer } from '../core/answer.ts';
import type { ProtocolId } from '../core/chat.ts';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Money } from '../core/money.ts';
import type { AnswerJudge } from '../guarantee/index.ts';
import type { Idempotency } from '../idempotency/index.ts';
import type { KeyDirectory, KeySnapshot } from '../keys/index.ts';
import type { Journal } from '../ledger/index.ts';
import type { Pictures } from '../pictures/index.ts';
import type { Log } from '../platform/log.ts';
import type { MemoryBudget } from '../platform/memory-budget.ts';
import type { GatewayMetrics } from '../platform/telemetry/index.ts';
import type { SafeFetch, UpstreamTransport } from '../platform/upstream/index.ts';
import type { ClientCodec, ClientView, EmbeddingUpstreamCodec, RelayCodec, UpstreamCodec } from '../protocols/index.ts';
import type { ReasoningRates } from '../reasoning/index.ts';
import type { Replays } from '../replay/index.ts';
import type { RequestTexts } from '../requestlog/index.ts';
import type { ResponseCache } from '../responsecache/index.ts';
import type { Router } from '../routing/index.ts';
import type { Tracer } from '../tracing/index.ts';
import type { Uptime } from '../uptime/index.ts';
import type { History } from './admit/history.ts';
import type { RefusalCounts } from './admit/refusal-counts.ts';
import type { Retriever } from './chat/retriever.ts';
import type { SeenPrefixes } from './chat/seen-prefixes.ts';
import type { AccountTags } from './settle/account-tags.ts';
import type { RunningRequests } from './settle/running.ts';

export interface ClientProtocol {
  client: ClientCodec;
  /** `chatcmpl-`, `msg_`, `resp_`. */
  responseIdPrefix: string;
  /** The body is translated, so it must never be relayed verbatim. */
  translated?: true;
  /**
   * Called once the request is admitted and before it is sent; when it fails, the request is not sent and costs
   * nothing.
   */
  whenAdmitted?(view: ClientView): Promise<void>;
  /** Stores what goes out of a stream, whether or not somebody reads it. */
  keepStream?(answer: StreamAnswer): StreamAnswer;
  /** Streams of this request can always be continued. */
  continued?: true;
  /**
   * For protocols whose clients break on frames with ids: only when the request asks for it, or never. Absent: the
   * key's rule counts too.
   */
  resumes?: 'when asked' | 'never';
  /** Completes the body from what the gateway keeps for the account (stored answers of the Responses protocol). */
  prepare?(body: JsonObject, key: KeySnapshot): Promise<JsonObject>;
}

export interface UpstreamProtocol {
  upstream: UpstreamCodec;
  relay?: RelayCodec;
}

export interface GatewaySettings {
  walletMinimum: Money;
  chargeInterrupted: boolean;
  /** Whether customers are told who answers. */
  suppliersShown: boolean;
  /** The answer length that is held for when neither the client nor the model's history gives one. */
  defaultOutputTokens: number;
  /** By how much the hold of a running answer grows at a time. */
  holdStepTokens: number;
  /** Tokens per second of hidden reasoning, for models without a measured rate. */
  hiddenTokensPerSecond: number;
  /** How long a model that reasons unseen may take to report its usage after the client has left. */
  reportWaitMs: number;
  authFailuresPerMinute: number;
  keepaliveMs: number;
  /** A client that takes nothing of its answer for this long is treated as gone. */
  readerIdleMs: number;
  /** Time limit of the whole request, over all attempts. */
  totalDeadlineMs: number;
  maxResponseBytes: number;
  /** The reranker for passages of knowledge bases; null: they keep the order of the search. */
  knowledgeRerankModel: string | null;
  /** The nightly budget for probing routes; 0: none are probed. */
  conformanceBudget: Money;
  /** How many answers that broke the guarantee are free for an account in a day. */
  guaranteeFreePerDay: number;
  /** What free answers and those that are asked again may cost for an account in a day, in toman. */
  guaranteeTomanPerDay: number;
  /** The share of the usual price that new batches cost. */
  batchPricePercent: number;
  /** Customers may bring their own keys at providers. */
  ownKeys: boolean;
  /** The fee for requests with such a key, as a share of the model's price. */
  ownKeyFeePercent: number;
  /** Models that `auto` chooses among, the best first; empty: there is no `auto`. */
  autoModels: readonly string[];
  /** Longest text one speech request may say. */
  maxSpeechCharacters: number;
  /** The longest time that frames of an ended stream are kept; 0: no stream can be continued. */
  resumeMaxSeconds: number;
  /** The longest time that an answer is given to equal requests; 0: the cache is off. */
  cacheMaxSeconds: number;
  cacheMaxAnswerBytes: number;
  /** What an answer from the response cache costs, in percent of its normal price. */
  cachePricePercent: number;
}

export interface Gateway {
  clock: Clock;
  randomBytes: RandomBytes;
  settings: GatewaySettings;
  catalog: { current(): CatalogSnapshot };
  keys: Pick<KeyDirectory, 'find' | 'findDigest'>;
  admission: Admission;
  journal: Journal;
  router: Router;
  transportOf(provider: Provider): UpstreamTransport;
  /** Fetches addresses that a user wrote. */
  fetchMedia: SafeFetch;
  /** Stores pictures that are returned by address. */
  pictures: Pick<Pictures, 'keep'>;
  upstreamProtocols: Record<ProtocolId, UpstreamProtocol>;
  embeddingProtocols: Partial<Record<ProtocolId, EmbeddingUpstreamCodec>>;
  history: History;
  /** Measured rates of hidden reasoning. */
  reasoningRates: Pick<ReasoningRates, 'of' | 'learn'>;
  refusals: RefusalCounts;
  idempotency: Idempotency;
  /** Streams that can be continued. */
  replays: Replays;
  /** Answers for equal requests of one account. */
  responseCache: ResponseCache;
  /** Beginnings of prompts that came lately, for the prompt-cache helper. */
  prefixes: Pick<SeenPrefixes, 'see'>;
  retriever: Retriever;
  /** Stores prompts and answers of accounts that switched it on. */
  texts: Pick<RequestTexts, 'keep'>;
  /** Judges answers that are guaranteed. */
  judge: Pick<AnswerJudge, 'judge'>;
  /** Bounds what broken answers that are asked again may cost. */
  secondAsks: { take(requestId: string, accountId: string, amount: Money): Promise<boolean> };
  /** Tags of accounts. */
  tags: Pick<AccountTags, 'counted'>;
  running: RunningRequests;
  /** The memory budget for everything that requests hold. */
  memory: MemoryBudget;
  metrics: GatewayMetrics;
  uptime: Pick<Uptime, 'finished'>;
  /** Undefined when nothing is traced; requests then do nothing for tracing. */
  tracer: Tracer | undefined;
  log: Log;
}
