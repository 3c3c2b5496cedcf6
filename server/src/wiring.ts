/**
 * The composition root. Only this file and its parts in wiring/ construct implementations; read them to see what the service
 * is made of: foundation (database, catalog, services), books (journal, admission, poster), request path, web server.
 */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createBranding } from './branding/index.ts';
import { priceHistory } from './catalog/index.ts';
import { type ConfigFile, type ProcessEnvironment, type Settings, withEnvironment } from './config/index.ts';
import { type Clock, systemClock } from './core/clock.ts';
import { createHttp } from './http/index.ts';
import { createLiveSettings } from './live-settings.ts';
import { createChangeRecorder } from './platform/admin-trail.ts';
import type { Database } from './platform/db/index.ts';
import type { Log } from './platform/log.ts';
import { createLagGuard, createMetrics } from './platform/telemetry/index.ts';
import { openUploadFiles } from './platform/upload-files.ts';
import { createRequestLog } from './requestlog/index.ts';
import { createConversationStore, createResponseStore } from './responses/index.ts';
import type { FirstSecrets } from './startup.ts';
import { createTickets, createWordFromOperator } from './support/index.ts';
import { createUptimeReports } from './uptime/index.ts';
import { openBooks } from './wiring/books.ts';
import { openCatalogAdmin } from './wiring/catalog-admin.ts';
import { type Foundation, layFoundation } from './wiring/foundation.ts';
import { openNotices, watchForStaff } from './wiring/notices.ts';
import { operatorTools } from './wiring/operator-tools.ts';
import { openPayments } from './wiring/payments.ts';
import { openPeople } from './wiring/people.ts';
import { buildRequestPath } from './wiring/request-path.ts';
import { closeWithin, within } from './wiring/shutdown.ts';
import { startTracing } from './wiring/tracing.ts';
import { watch } from './wiring/watch.ts';

export interface WiringOptions {
  environment: ProcessEnvironment;
  config: ConfigFile;
  log: Log;
  registerSecret: (text: string) => void;
  progress: (line: string) => void;
  clock?: Clock;
  /** See FoundationOptions. */
  asItIs?: boolean;
}

export interface Service {
  app: FastifyInstance;
  /** Lets requests in, once the server listens; on the very first start it makes the secrets to be shown. */
  open(): Promise<FirstSecrets>;
  database: Database['kind'];
  /** No new requests, running ones finish within the bound, everything is posted. */
  stop(): Promise<void>;
}

export async function wire(options: WiringOptions): Promise<Service> {
  const { environment, clock = systemClock, asItIs } = options;
  const config = withEnvironment(options.config, environment);
  const { settings } = config;
  const { limits } = settings;
  const base = await layFoundation({ ...options, config, clock, asItIs });
  const books = await openBooks(base, environment, limits);
  const metrics = createMetrics();
  const { tracer, exporter } = startTracing(base, environment, metrics, books.replicaId);
  const path = await buildRequestPath(base, books, settings, metrics, tracer);
  const { gw, knowledge, sharedClaims, texts, uptime } = path;
  // The process's own lateness is measured in real time, whatever clock its service runs by.
  const { background } = base;
  const lag = createLagGuard({ clock: systemClock, background, maxLagMs: limits.maxEventLoopLagMs });
  watch(metrics, gw, lag, { journal: () => books.journal.health(), poster: () => books.poster.health() });
  const uploads = await openUploadFiles({
    folder: join(environment.dataDir, 'uploads'),
    maxTotalBytes: limits.maxUploadsTotalBytes,
  });
  const responses = openResponseStore(base, limits);
  const conversations = openConversations(base, limits);
  await knowledge.start();
  const branding = await createBranding({ store: base.settings, log: base.log });
  const { people, messenger, followSettings } = await openPeople(base, environment, options.progress, {
    requestPath: gw.settings,
    brand: () => branding.current().name,
  });
  const alerts = openNotices(base, settings, messenger);
  watchForStaff(base, alerts.notices, {
    routes: () => gw.router.snapshot(),
    journalDepth: () => books.journal.depth(),
    journalMost: limits.journalMaxRecords,
    audit: () => base.ledger.audit(),
  });
  const word = createWordFromOperator(base.tools);
  const { catalog, rateSource, lists } = openCatalogAdmin(base, config, alerts.notices, word);
  let draining = false;
  let starting = true;
  const { app, cutConnections } = createHttp({
    accessLog: base.environment.accessLog,
    gw,
    responses,
    conversations,
    config: settings,
    uploads,
    knowledge: knowledge.service,
    requestLog: createRequestLog({ db: base.db, recent: books.journal }),
    mayReadMetrics: (token) => base.operators.accepts(token) || base.metricsTokens.accepts(token),
    people,
    texts,
    tokenOwner: (token) => base.operators.ownerOf(token),
    isFirstPassword: (text) => base.operators.isPassword(text),
    admin: {
      ...base.tools,
      catalog,
      rateSource,
      lists,
      settings: await createLiveSettings({
        store: base.settings,
        file: settings,
        inForce: gw.settings,
        people: people.settings,
        followPeople: followSettings,
        pricing: () => catalog.pricing.terms(),
        log: base.log,
      }),
      resetOperatorPassword: async (actor) => {
        const password = await base.resetPassword(actor);
        await people.operator.forgetPassword();
        return password;
      },
      recordCredit: createChangeRecorder(base.tools, 'wallet'),
      setAsideRecords: () => books.journal.setAsideRecords(),
      tools: operatorTools(base, gw),
      recordPerson: createChangeRecorder(base.tools, 'person'),
    },
    payments: {
      payments: openPayments(base, books.admission, catalog.pricing, alerts.notices),
      accounts: base.accounts,
      origin: (asCalled) => environment.publicUrl ?? asCalled,
    },
    alerts,
    branding,
    support: {
      tickets: createTickets({ ...base.tools, notices: alerts.notices }),
      word,
    },
    pages: {
      uptime: createUptimeReports(base),
      prices: (modelId) => priceHistory(base.db, modelId),
    },
    draining: () => draining,
    starting: () => starting,
    overloaded: () => lag.isOverloaded() || gw.running.size >= limits.maxConcurrentRequests,
    operations: {
      databaseHealthy: () => base.db.healthy(),
      admissionHealth: () => books.admission.health(),
      journalHealth: () => books.journal.health(),
      posterHealth: () => books.poster.health(),
      transportStats: () => base.transport.stats(),
      metrics: () => ({ contentType: metrics.contentType, text: metrics.text() }),
    },
  });

  const stop = async () => {
    draining = true;
    await within(limits.drainMs, gw.running.idle());
    gw.running.cancelAll('shutting down');
    await within(2_000, gw.running.idle());
    await closeWithin(2_000, app, cutConnections);
    if (!(await books.poster.drain(10_000))) {
      const depth = books.journal.depth();
      base.log.warn({ depth }, 'the database did not take everything; the journal keeps it for the next start');
    }
    await within(2_000, responses.flush()).catch(() => undefined);
    await within(2_000, sharedClaims.flush());
    await within(2_000, uptime.flush()).catch(() => undefined);
    knowledge.stop();
    path.closeNews();
    await people.passwords.close();
    if (exporter) await within(2_000, exporter.flush());
    await background.drain(2_000);
    base.masterKeys.close();
    base.catalog.close();
    await books.admission.close();
    await books.journal.shutdown();
    await base.transport.close();
    await base.db.close();
  };
  const open = async () => {
    const secrets = await base.makeFirstSecrets();
    starting = false;
    return secrets;
  };
  return { app, open, database: base.db.kind, stop };
}

function openConversations({ db, clock, background, log, tools }: Foundation, limits: Settings['limits']) {
  const bounds = {
    keepMs: limits.responseStoreKeepMs,
    perAccount: limits.responseStoreMaxPerAccount,
    characters: limits.responseStoreMaxResponseBytes,
    // Conversations cost nothing by themselves, so their room is bounded.
    charactersOfAccount: 64 * limits.responseStoreMaxResponseBytes,
  };
  return createConversationStore({ db, clock, background, log, randomBytes: tools.randomBytes, bounds });
}

function openResponseStore({ db, clock, background, log }: Foundation, limits: Settings['limits']) {
  return createResponseStore({
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
}
