/** The composition root: the only file that constructs implementations. Read it to see what the service is made of. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createAccountService, createSettingStore } from './accounts/index.ts';
import { type Admission, createMemoryAdmission, createRedisAdmission } from './admission/index.ts';
import { createCatalog, createCatalogAdmin } from './catalog/index.ts';
import type { ConfigFile, ProcessEnvironment, Settings } from './config/index.ts';
import { type Clock, systemClock } from './core/clock.ts';
import { makeId } from './core/ids.ts';
import { parseTrustedJson } from './core/json.ts';
import { ZERO } from './core/money.ts';
import {
  accountItself,
  checkEmbeddingModel,
  embedTexts,
  type Gateway,
  History,
  Idempotency,
  RunningRequests,
} from './gateway/index.ts';
import { createHttp } from './http/index.ts';
import { createKeyDirectory, createKeyService, walletBudget } from './keys/index.ts';
import { type KnowledgeLimits, startKnowledge } from './knowledge/index.ts';
import { type Books, createLedger, openJournal, Poster } from './ledger/index.ts';
import { createLiveSettings } from './live-settings.ts';
import { createChangeRecorder } from './platform/admin-trail.ts';
import { type Background, createBackground } from './platform/background.ts';
import { type Database, migrate, openDatabase } from './platform/db/index.ts';
import type { Log } from './platform/log.ts';
import { digestOf, localOperatorToken, OperatorTokens } from './platform/operator-token.ts';
import { createRedis } from './platform/redis/index.ts';
import { openSecretBox } from './platform/secrets.ts';
import { agreeOnMasterKey } from './platform/shared-master-key.ts';
import { createLagGuard, createMetrics, type Metrics } from './platform/telemetry/index.ts';
import { openUploadFiles } from './platform/upload-files.ts';
import { createSafeFetch, createSandbox, createTransport, type UpstreamTransport } from './platform/upstream/index.ts';
import {
  anthropicMessagesRelay,
  anthropicMessagesUpstream,
  geminiEmbeddings,
  geminiUpstream,
  openaiChatRelay,
  openaiChatUpstream,
  openaiEmbeddings,
  openaiResponsesRelay,
  openaiResponsesUpstream,
} from './protocols/index.ts';
import { createRequestLog, dropOldPartitions, preparePartitions } from './requestlog/index.ts';
import { createResponseStore } from './responses/index.ts';
import { createRouter, type Router, type TargetHealth } from './routing/index.ts';
import { type FirstSecrets, firstStart, operatorDigest, seed } from './startup.ts';

export interface WiringOptions {
  environment: ProcessEnvironment;
  config: ConfigFile;
  log: Log;
  registerSecret: (text: string) => void;
  progress: (line: string) => void;
  clock?: Clock;
  /** The command line: takes the database as it is, since its shell may lack the variables the servers started with. */
  keepCatalog?: boolean;
}

export interface Service {
  app: FastifyInstance;
  firstSecrets: FirstSecrets;
  database: Database['kind'];
  /** No new requests, running ones finish within the bound, everything is posted. */
  stop(): Promise<void>;
}

export async function wire(options: WiringOptions): Promise<Service> {
  const { environment, config, log, registerSecret, progress, clock = systemClock } = options;
  const { limits } = config.settings;
  const { dataDir } = environment;
  const background = createBackground(log);
  const metrics = createMetrics();

  const db = await openDatabase({ databaseUrl: environment.databaseUrl, dataDir, log, clock, progress });
  await migrate(db);
  const secrets = await openSecretBox({ masterKey: await masterKeyOf(environment, db), dataDir });
  const settings = createSettingStore({ db, clock, randomBytes });
  const accounts = createAccountService({ db, clock, randomBytes, defaultCalendar: config.money.calendar });
  const keys = createKeyService({ db, clock, randomBytes });
  const ledger = createLedger({ db, clock });

  const transport = createTransport({ clock, log });
  const sandbox = createSandbox({ clock });
  const tools = {
    db,
    clock,
    randomBytes,
    secrets,
    accounts,
    keys,
    ledger,
    settings,
    probe: probeWith(transport, clock),
  };
  const sources = await seed(tools, environment, config, options.keepCatalog);
  const firstSecrets = await firstStart(tools, environment);
  const operators = new OperatorTokens([
    await operatorDigest(settings),
    environment.operatorToken === undefined ? undefined : digestOf(environment.operatorToken),
    digestOf(localOperatorToken(secrets)),
  ]);

  const catalog = createCatalog({
    db,
    secrets,
    clock,
    log,
    defaultTimeouts: config.settings.timeouts,
    onSecret: registerSecret,
  });
  await catalog.reload();

  const journal = await openJournal({
    folder: join(dataDir, 'journal'),
    clock,
    log,
    syncIntervalMs: limits.journalSyncMs,
    maxUnposted: limits.journalMaxRecords,
    maxUnpostedBytes: limits.journalMaxBytes,
  });
  const admission = await openAdmission(environment, ledger, clock, log);
  const poster = new Poster({ db, journal, admission, log });
  // Before the first request: what a killed process charged must not be spent a second time.
  await poster.catchUp();
  poster.start();
  followBudgets(db, ledger, admission, background);
  keepPartitions(db, clock, limits.logRetentionDays, background);

  const router = createRouter({ clock, random: Math.random });
  const running = new RunningRequests();
  // The process's own lateness is measured in real time, whatever clock its service runs by.
  const lag = createLagGuard({ clock: systemClock, background, maxLagMs: limits.maxEventLoopLagMs });
  watch(metrics, { router, running, journal, lag });

  const safeFetch = createSafeFetch({ clock, allowedHosts: config.settings.fetchAllowedHosts });
  const knowledge = await startKnowledge({
    ...tools,
    background,
    log,
    limits: knowledgeLimits(limits),
    fetchAddress: safeFetch,
    // Both are asked only once the service runs, when there is a gateway to ask.
    embedder: {
      embed: async ({ accountId, key, ...order }) =>
        embedTexts({ ...order, key: key ?? accountItself(await accounts.get(accountId)) }, gw),
    },
    checkEmbeddingModel: (model, key) => checkEmbeddingModel(model, key, gw),
  });
  const gw: Gateway = {
    clock,
    randomBytes,
    settings: {
      walletMinimum: config.settings.walletMinimum,
      chargeInterrupted: config.settings.chargeInterrupted,
      ...limits,
    },
    catalog,
    keys: createKeyDirectory({ db, clock }),
    admission,
    journal,
    router,
    transportOf: (provider) => (provider.transport === 'sandbox' ? sandbox : transport),
    fetchMedia: safeFetch,
    upstreamLanguages: {
      'openai-chat': { upstream: openaiChatUpstream, relay: openaiChatRelay },
      'anthropic-messages': { upstream: anthropicMessagesUpstream, relay: anthropicMessagesRelay },
      'openai-responses': { upstream: openaiResponsesUpstream, relay: openaiResponsesRelay },
      'gemini-generate': { upstream: geminiUpstream },
    },
    embeddingLanguages: {
      'openai-chat': openaiEmbeddings,
      'openai-responses': openaiEmbeddings,
      'gemini-generate': geminiEmbeddings,
    },
    history: new History(),
    idempotency: new Idempotency(
      {
        entries: limits.idempotencyMaxEntries,
        bytesPerAnswer: limits.idempotencyMaxAnswerBytes,
        totalBytes: limits.idempotencyMaxTotalBytes,
        keepMs: limits.idempotencyKeepMs,
      },
      clock,
    ),
    retriever: knowledge.retriever,
    running,
    metrics,
    log,
  };
  const uploads = await openUploadFiles({
    folder: join(dataDir, 'uploads'),
    maxTotalBytes: limits.maxUploadsTotalBytes,
  });
  const responses = createResponseStore({
    db,
    clock,
    background,
    log,
    bounds: {
      bytes: limits.responseStoreMaxBytes,
      bytesPerResponse: limits.responseStoreMaxResponseBytes,
      perAccount: limits.responseStoreMaxPerAccount,
      keepMs: limits.responseStoreKeepMs,
    },
  });
  await knowledge.start();
  let draining = false;
  const app = createHttp({
    gw,
    responses,
    config: config.settings,
    uploads,
    knowledge: knowledge.service,
    requestLog: createRequestLog({ db, recent: journal }),
    isOperator: (token) => operators.accepts(token),
    admin: {
      db,
      accounts,
      keys,
      ledger,
      catalog: createCatalogAdmin(tools, sources, config.money),
      settings: await createLiveSettings({ store: settings, file: config.settings, inForce: gw.settings, log }),
      recordCredit: createChangeRecorder(tools, 'wallet'),
    },
    draining: () => draining,
    overloaded: () => lag.isOverloaded() || running.size >= limits.maxConcurrentRequests,
    operations: {
      databaseHealthy: () => db.healthy(),
      admissionHealth: () => admission.health(),
      metrics: async () => ({ contentType: metrics.contentType, text: await metrics.text() }),
    },
  });

  const stop = async () => {
    draining = true;
    await within(limits.drainMs, running.idle());
    running.cancelAll('shutting down');
    await within(2_000, running.idle());
    await closeWithin(2_000, app);
    if (!(await poster.drain(10_000)))
      log.warn(
        { depth: journal.depth() },
        'the database did not take everything; the journal keeps it for the next start',
      );
    await within(
      2_000,
      responses.flush().catch(() => undefined),
    );
    knowledge.stop();
    await background.drain(2_000);
    catalog.close();
    await admission.close();
    await journal.shutdown();
    await transport.close();
    await db.close();
  };
  return { app, firstSecrets, database: db.kind, stop };
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

function within(limitMs: number, work: Promise<void>): Promise<void> {
  return Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, limitMs).unref())]);
}

/** undefined: the key beside the embedded database, which nobody else opens. */
async function masterKeyOf({ masterKey, databaseUrl, dataDir }: ProcessEnvironment, db: Database) {
  return masterKey ?? (databaseUrl === undefined ? undefined : agreeOnMasterKey(db, dataDir));
}

/**
 * Every answer has ended; what is left are last bytes on their way to slow readers, and connections on which nothing was ever
 * asked. The latter do not count as idle, and would hold up the end for as long as an idle connection may live.
 */
async function closeWithin(limitMs: number, app: FastifyInstance): Promise<void> {
  const closed = app.close().then(() => undefined);
  await within(limitMs, closed);
  app.server.closeAllConnections();
  await closed;
}

async function openAdmission(
  environment: ProcessEnvironment,
  ledger: Books,
  clock: Clock,
  log: Log,
): Promise<Admission> {
  const { loadPosted } = ledger;
  const { redisUrl, dataDir } = environment;
  if (redisUrl === undefined) return createMemoryAdmission({ clock, loadPosted });
  const redis = createRedis({ url: redisUrl, onError: (error) => log.warn({ err: error }, 'redis connection') });
  const onMode = (mode: string, reason?: unknown) => log.warn({ mode, err: reason }, 'admission mode changed');
  return createRedisAdmission({ redis, clock, replicaId: await replicaIdOf(dataDir), loadPosted, onMode });
}

/** Top-ups and refunds happen on any replica, and in the CLI; every admission must see the new balance. */
function followBudgets(db: Database, ledger: Books, admission: Admission, background: Background): void {
  const reread = async (budget: string) => {
    const row = (await ledger.loadPosted([budget])).get(budget);
    if (row) admission.posted([{ budget, ...row, release: ZERO }]);
  };
  // A message that got lost is made good by admission itself: it asks the ledger again about a budget that refuses.
  const follow = (topic: string, budgetOf: (id: string) => string) =>
    db.subscribe(
      topic,
      (id) => background.detach(reread(budgetOf(id)), topic),
      () => undefined,
    );
  follow('wallet', walletBudget);
  follow('budget', (id) => id);
}

/** A new day's partition is there before the day; what is older than the operator keeps is dropped whole, not row by row. */
function keepPartitions(db: Database, clock: Clock, keepDays: number, background: Background): void {
  const tend = async () => {
    await preparePartitions(db, clock.now());
    await dropOldPartitions(db, clock.now(), keepDays);
  };
  background.detach(tend(), 'request log partitions');
  background.every(3_600_000, 'request log partitions', tend);
}

/** Stable over restarts: what this replica held before a crash is its own again. */
async function replicaIdOf(dataDir: string): Promise<string> {
  const path = join(dataDir, 'replica-id');
  const stored = await readFile(path, 'utf8').catch(() => '');
  if (stored !== '') return stored.trim();
  const id = makeId('rep', systemClock.now(), randomBytes);
  await writeFile(path, id);
  return id;
}

function probeWith(transport: UpstreamTransport, clock: Clock) {
  return async (url: string, timeoutMs: number) => {
    const deadlineAtMs = clock.monotonicMs() + timeoutMs;
    const limits = { connectMs: timeoutMs, headersMs: timeoutMs, idleMs: timeoutMs, deadlineAtMs };
    const reply = await transport.send({ pool: `probe:${url}`, url, method: 'GET', headers: {}, ...limits });
    return reply.status === 200 ? parseTrustedJson(await reply.text(1_000_000)) : undefined;
  };
}

interface Watched {
  router: Router;
  running: RunningRequests;
  journal: { depth(): number };
  lag: { readonly lagMs: number };
}

function watch(metrics: Metrics, { router, running, journal, lag }: Watched): void {
  metrics.gauge('dargah_requests_running', 'Requests being answered now.', () => running.size);
  metrics.gauge('dargah_journal_depth', 'Closed requests that wait for the database.', () => journal.depth());
  metrics.gauge('dargah_event_loop_lag_seconds', 'Smoothed delay of the event loop.', () => lag.lagMs / 1000);
  const perTarget = (name: string, help: string, read: (health: TargetHealth) => number | undefined) =>
    metrics.gauge(name, help, () =>
      router.snapshot().flatMap((health) => {
        const value = read(health);
        return value === undefined ? [] : [{ labels: { target: health.target, provider: health.provider }, value }];
      }),
    );
  perTarget('dargah_route_open', 'Circuit breaker: 1 open, 0.5 probing, 0 closed.', ({ state }) => BREAKER[state]);
  perTarget('dargah_route_running', 'Requests running at a route.', ({ inFlight }) => inFlight);
  perTarget('dargah_route_first_event_p50_seconds', 'Median time to the first event.', ({ p50Ms }) => seconds(p50Ms));
  perTarget('dargah_route_first_event_p95_seconds', '95th percentile of it.', ({ p95Ms }) => seconds(p95Ms));
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}

const BREAKER: Record<TargetHealth['state'], number> = { open: 1, 'half-open': 0.5, probing: 0.5, closed: 0 };
