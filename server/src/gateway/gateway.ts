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
import type { SecondAsks } from './settle/second-asks.ts';

export interface ClientProtocol {
  client: ClientCodec;
  /** `chatcmpl-`, `msg_`, `resp_`. */
  responseIdPrefix: string;
  /** The body is translated, so it must never be relayed verbatim. */
  translated?: true;
  /** The request was admitted and is sent once this is done; it is not sent, and costs nothing, when this fails. */
  whenAdmitted?(view: ClientView): Promise<void>;
  /** What is kept of a stream on its way out, whether or not somebody reads it. */
  keepStream?(answer: StreamAnswer): StreamAnswer;
  /** Streams of this request can be continued, whatever it says. */
  continued?: true;
  /** Where frames with ids break the clients of a protocol: only by its own wish, or never. Absent: by the key's rule too. */
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
  /** Held for when neither the client nor the model's history says how long the answer will be. */
  defaultOutputTokens: number;
  /** By how much the hold of a running answer grows at a time. */
  holdStepTokens: number;
  /** How fast a model thinks unseen of which nothing better is known. */
  hiddenTokensPerSecond: number;
  /** A model that thinks unseen gets this long to report its usage after the client has left. */
  reportWaitMs: number;
  authFailuresPerMinute: number;
  keepaliveMs: number;
  /** A client that takes nothing of its answer for this long is treated as gone. */
  readerIdleMs: number;
  /** Whole request, over all attempts. */
  totalDeadlineMs: number;
  maxResponseBytes: number;
  /** Puts the passages of knowledge bases in order; null: they stay as words and vectors found them. */
  knowledgeRerankModel: string | null;
  /** What a night may spend on probing routes; 0: nothing is asked. */
  conformanceBudget: Money;
  /** How many answers that broke the guarantee are free for an account in a day. */
  guaranteeFreePerDay: number;
  /** What of the usual price new batches cost. */
  batchPricePercent: number;
  /** Customers may bring their own keys at providers. */
  ownKeys: boolean;
  /** Of a model's price, for requests with such a key. */
  ownKeyFeePercent: number;
  /** Models that `auto` chooses among, the best first; empty: there is no `auto`. */
  autoModels: readonly string[];
  /** Longest text one speech request may say. */
  maxSpeechCharacters: number;
  /** For at most so long the frames of an ended stream are kept; 0: no stream can be continued. */
  resumeMaxSeconds: number;
  /** For at most so long an answer is given to equal requests; 0: none is. */
  cacheMaxSeconds: number;
  cacheMaxAnswerBytes: number;
  /** What an answer from the response cache costs, in hundredths of what it would cost otherwise. */
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
  /** For addresses that a user wrote. */
  fetchMedia: SafeFetch;
  /** Pictures that are given by address. */
  pictures: Pick<Pictures, 'keep'>;
  upstreamProtocols: Record<ProtocolId, UpstreamProtocol>;
  embeddingProtocols: Partial<Record<ProtocolId, EmbeddingUpstreamCodec>>;
  history: History;
  /** How fast models think unseen. */
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
  /** Prompts and answers of accounts that want them kept. */
  texts: Pick<RequestTexts, 'keep'>;
  /** Judges answers that are guaranteed. */
  judge: Pick<AnswerJudge, 'judge'>;
  /** Bounds how often they are asked again. */
  secondAsks: Pick<SecondAsks, 'take'>;
  /** What accounts count their requests for. */
  tags: Pick<AccountTags, 'counted'>;
  running: RunningRequests;
  /** For everything that a request makes us hold. */
  memory: MemoryBudget;
  metrics: GatewayMetrics;
  uptime: Pick<Uptime, 'finished'>;
  /** undefined: nothing is traced, and no request does anything for it. */
  tracer: Tracer | undefined;
  log: Log;
}
