/** Builds the gateway with all its ports, and the knowledge bases; each needs the other. */
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Settings } from '../config/index.ts';
import { ZERO } from '../core/money.ts';
import {
  AccountTags,
  accountItself,
  checkEmbeddingModel,
  embedTexts,
  type Gateway,
  type GatewaySettings,
  History,
  RefusalCounts,
  RunningRequests,
  rankTexts,
  SeenPrefixes,
} from '../gateway/index.ts';
import { createAnswerJudge } from '../guarantee/index.ts';
import { Idempotency, openSharedClaims } from '../idempotency/index.ts';
import { createKeyDirectory, demandOfKeys, type KeySnapshot, withDemand } from '../keys/index.ts';
import { type EmbeddingOrder, type KnowledgeLimits, type RankingOrder, startKnowledge } from '../knowledge/index.ts';
import { initialNumbers } from '../live-numbers.ts';
import { createPictures } from '../pictures/index.ts';
import type { MemoryBudget } from '../platform/memory-budget.ts';
import { createRandomPool } from '../platform/random-pool.ts';
import { createRedis } from '../platform/redis/index.ts';
import type { Metrics } from '../platform/telemetry/index.ts';
import { createSafeFetch } from '../platform/upstream/index.ts';
import { fitYoungGeneration } from '../platform/young-generation.ts';
import {
  anthropicMessagesRelay,
  anthropicMessagesUpstream,
  bedrockConverseUpstream,
  geminiEmbeddings,
  geminiGenerateRelay,
  geminiUpstream,
  openaiChatRelay,
  openaiChatUpstream,
  openaiEmbeddings,
  openaiResponsesRelay,
  openaiResponsesUpstream,
} from '../protocols/index.ts';
import { createReasoningRates } from '../reasoning/index.ts';
import { createReplays } from '../replay/index.ts';
import { createRequestTexts } from '../requestlog/index.ts';
import { createRedisWire, createRouter, RoutingNews } from '../routing/index.ts';
import type { Tracer } from '../tracing/index.ts';
import { createUptime } from '../uptime/index.ts';
import type { openBooks } from './books.ts';
import type { Foundation } from './foundation.ts';
import { ownSecretOpener } from './own-keys.ts';
import { openResponseCache } from './response-cache.ts';

type Books = Awaited<ReturnType<typeof openBooks>>;

/** Every protocol of providers; a new one is a line here. */
const UPSTREAM: Pick<Gateway, 'upstreamProtocols' | 'embeddingProtocols'> = {
  upstreamProtocols: {
    'openai-chat': { upstream: openaiChatUpstream, relay: openaiChatRelay },
    'anthropic-messages': { upstream: anthropicMessagesUpstream, relay: anthropicMessagesRelay },
    'openai-responses': { upstream: openaiResponsesUpstream, relay: openaiResponsesRelay },
    'gemini-generate': { upstream: geminiUpstream, relay: geminiGenerateRelay },
    'bedrock-converse': { upstream: bedrockConverseUpstream },
  },
  embeddingProtocols: {
    'openai-chat': openaiEmbeddings,
    'openai-responses': openaiEmbeddings,
    'gemini-generate': geminiEmbeddings,
  },
};

export type RequestPath = Awaited<ReturnType<typeof buildRequestPath>>;

export async function buildRequestPath(
  base: Foundation,
  books: Books,
  settings: Settings,
  metrics: Metrics,
  tracer: Tracer | undefined,
  memory: MemoryBudget,
) {
  const { db, clock, log, catalog, transport, sandbox, accounts } = base;
  const { limits } = settings;
  const safeFetch = createSafeFetch({
    clock,
    client: settings.upstreamClient,
    allowedHosts: settings.fetchAllowedHosts,
    egress: base.environment.egress,
  });
  const payerOf = async ({ key, accountId, baseIds }: EmbeddingOrder | RankingOrder): Promise<KeySnapshot> =>
    key ?? withDemand(accountItself(await accounts.get(accountId)), await demandOfKeys(db, accountId, baseIds));
  const knowledge = await startKnowledge({
    ...base.tools,
    background: base.background,
    queues: base.queues,
    log,
    limits: knowledgeLimits(limits),
    memory,
    fetchAddress: safeFetch,
    // All three are called only once the service runs, when `gw` is defined.
    embedder: {
      embed: async (order) => embedTexts({ ...order, key: await payerOf(order) }, gw),
    },
    reranker: {
      isNamed: () => gw.settings.knowledgeRerankModel !== null,
      rank: async (order) => {
        const model = gw.settings.knowledgeRerankModel;
        if (model === null) return undefined;
        return rankTexts({ ...order, model, key: await payerOf(order) }, gw);
      },
    },
    checkEmbeddingModel: (model, key) => checkEmbeddingModel(model, key, gw),
  });
  const sharedClaims = await openIdempotencyClaims(base, books, limits);
  const texts = createRequestTexts({ ...base, maxDays: () => limits.promptLogMaxDays });
  const { news, closeNews } = openRoutingNews(base, books.replicaId);
  const reasoning = await createReasoningRates(base);
  const replays = openReplays(base, limits);
  const responseCache = openResponseCache(base, limits);
  const uptime = createUptime({ ...base, keepDays: () => limits.uptimeHistoryDays });
  const keys = createKeyDirectory({ db, clock, openSecret: ownSecretOpener(base) });
  const judge = createAnswerJudge(base);
  const pictures = createPictures({ db, clock, randomBytes: createRandomPool() });
  base.background.every(10 * MINUTE_MS, 'pictures whose hour is over', () => pictures.clean());
  const gw: Gateway = {
    clock,
    randomBytes: createRandomPool(),
    settings: settingsAtFirst(settings),
    catalog,
    keys,
    admission: books.admission,
    journal: books.journal,
    judge,
    secondAsks: { take: (...asked) => books.guarantee.takeSecondAsk(...asked) },
    tags: new AccountTags(clock),
    router: createRouter({ clock, random: Math.random, news }),
    transportOf: (provider) => (provider.transport === 'sandbox' ? sandbox : transport),
    fetchMedia: safeFetch,
    pictures,
    ...UPSTREAM,
    history: new History(),
    reasoningRates: reasoning.rates,
    refusals: followedRefusals(base, limits.refusalsPerMinute),
    idempotency: new Idempotency(idempotencyBounds(limits), clock, sharedClaims),
    replays,
    responseCache,
    prefixes: new SeenPrefixes(clock),
    retriever: knowledge.retriever,
    texts,
    running: followedRequests(base),
    memory,
    metrics,
    uptime,
    tracer,
    log,
  };
  return { gw, keys, pictures, knowledge, sharedClaims, texts, uptime, reasoning, closeNews, judge };
}

/** The settings of the file; stored ones replace them before the first request (live-settings.ts). */
function settingsAtFirst(settings: Settings): GatewaySettings {
  const { limits, walletMinimum, chargeInterrupted, hiddenTokensPerSecond } = settings;
  return {
    walletMinimum,
    chargeInterrupted,
    hiddenTokensPerSecond,
    suppliersShown: false,
    knowledgeRerankModel: null,
    conformanceBudget: ZERO,
    ownKeys: false,
    autoModels: [],
    ...initialNumbers(),
    ...limits,
  };
}

/** Every replica hears of what may end a refusal: a changed key or account, a top-up, a refund. */
function followedRefusals({ db, clock }: Foundation, maxPerMinute: number): RefusalCounts {
  const refusals = new RefusalCounts(maxPerMinute, clock);
  const lost = () => refusals.anythingChanged();
  db.subscribe('key', (id) => refusals.keyChanged(id), lost);
  db.subscribe('account', (id) => refusals.accountChanged(id), lost);
  db.subscribe('wallet', (id) => refusals.accountChanged(id), lost);
  return refusals;
}

/** What runs for an account ends when any replica closes its access. */
function followedRequests({ blocks, background }: Foundation): RunningRequests {
  const running = new RunningRequests();
  fitYoungGeneration(background, running);
  blocks.follow({ blocked: (id) => running.endAccount(id), opened: (id) => running.letAccount(id) });
  return running;
}

/** Replicas tell each other what they learn about providers. */
function openRoutingNews({ environment, log }: Foundation, replicaId: string) {
  const { redisUrl: url } = environment;
  if (url === undefined) return { news: undefined, closeNews: () => undefined };
  const onError = (error: Error) => log.debug({ err: error }, 'routing news: redis connection');
  const wire = createRedisWire({ publisher: createRedis({ url, onError }), subscriber: createRedis({ url, onError }) });
  return { news: new RoutingNews(wire, replicaId), closeNews: () => wire.close() };
}

/** Other replicas can continue what this one streams. */
function openReplays({ environment, log, clock, background }: Foundation, limits: Settings['limits']) {
  const bounds = () => ({
    bytesPerRequest: limits.resumeMaxStreamBytes,
    bytesPerAccount: limits.resumeMaxAccountBytes,
    bytesTotal: limits.resumeMaxTotalBytes,
  });
  const { redisUrl: url } = environment;
  const onError = (error: Error) => log.debug({ err: error }, 'streams to continue: redis connection');
  const connect = (to: string) => createRedis({ url: to, onError });
  return createReplays(
    { bounds, clock, background },
    url === undefined ? undefined : { redis: connect(url), subscriber: connect(url) },
  );
}

function idempotencyBounds(limits: Settings['limits']) {
  return {
    entries: limits.idempotencyMaxEntries,
    bytesPerAnswer: limits.idempotencyMaxAnswerBytes,
    totalBytes: limits.idempotencyMaxTotalBytes,
    keepMs: limits.idempotencyKeepMs,
  };
}

function openIdempotencyClaims({ db, clock, background, log }: Foundation, books: Books, limits: Settings['limits']) {
  return openSharedClaims({
    db,
    clock,
    background,
    log,
    owner: books.replicaId,
    bounds: {
      bytesPerAnswer: limits.idempotencyMaxAnswerBytes,
      bytesPerAccount: limits.idempotencyMaxAccountBytes,
      entriesPerAccount: limits.idempotencyMaxAccountEntries,
      keepMs: limits.idempotencyKeepMs,
    },
  });
}

function knowledgeLimits(limits: Settings['limits']): KnowledgeLimits {
  return {
    bases: limits.knowledgeMaxBases,
    documents: limits.knowledgeMaxDocuments,
    documentBytes: limits.knowledgeMaxDocumentBytes,
    totalBytes: limits.knowledgeMaxTotalBytes,
    contextTokens: limits.knowledgeContextTokens,
    parallelReading: limits.knowledgeParallelReading,
  };
}
