/**
 * The composition root. Only this file and its parts in wiring/ construct implementations; read them to see what the service
 * is made of: foundation (database, catalog, services), books (journal, admission, poster), request path, web server.
 */
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createBranding } from './branding/index.ts';
import { type PriceQuestion, priceChanges, priceHistory } from './catalog/index.ts';
import { type ConfigFile, type ProcessEnvironment, withEnvironment } from './config/index.ts';
import { type Clock, systemClock } from './core/clock.ts';
import { createHttp } from './http/index.ts';
import { withLiveRetention } from './live-retention.ts';
import type { PasswordWork, People } from './people/index.ts';
import type { Database, StartThread } from './platform/db/index.ts';
import type { Log } from './platform/log.ts';
import { createLagGuard, createMetrics } from './platform/telemetry/index.ts';
import { openUploadFiles } from './platform/upload-files.ts';
import { type FirstSecrets, firstPasswordDigest } from './startup.ts';
import { type Announcements, createAnnouncements, createIncidents, createTickets } from './support/index.ts';
import { createUptimeReports } from './uptime/index.ts';
import { openAccounting, openAccountingActs, openReconciliation } from './wiring/accounting.ts';
import { openKept } from './wiring/batches.ts';
import { openBooks } from './wiring/books.ts';
import { noteUseOfRoutes, openCatalogAdmin } from './wiring/catalog-admin.ts';
import { type Foundation, layFoundation } from './wiring/foundation.ts';
import { openMemoryBudget } from './wiring/memory.ts';
import { openNotices, watchForStaff } from './wiring/notices.ts';
import { operatorGuards, operatorServices } from './wiring/operator-services.ts';
import { watchForOutages } from './wiring/outages.ts';
import { openPayments } from './wiring/payments.ts';
import { openPeople } from './wiring/people.ts';
import { openRequestLog } from './wiring/request-log.ts';
import { buildRequestPath } from './wiring/request-path.ts';
import { ServicePhase } from './wiring/service-phase.ts';
import { openSetup } from './wiring/setup.ts';
import { type Farewell, NO_FAREWELL, shutDown } from './wiring/shutdown.ts';
import { startTracing } from './wiring/tracing.ts';
import { healthSources, watch } from './wiring/watch.ts';

export interface WiringOptions {
  environment: ProcessEnvironment;
  config: ConfigFile;
  log: Log;
  registerSecret: (text: string) => void;
  progress: (line: string) => void;
  clock?: Clock;
  /** Tests hash passwords with little work. */
  passwordWork?: PasswordWork;
  /** Starts the embedded database's thread: one that has begun already, or in tests one for many databases. */
  startThread?: StartThread | undefined;
  /** See FoundationOptions. */
  asItIs?: boolean;
}

export interface Service {
  app: FastifyInstance;
  /** Lets requests in, once the server listens; on the very first start it makes the secrets to be shown. */
  open(): Promise<FirstSecrets>;
  database: Database['kind'];
  /** No new requests, running ones finish within the bound, everything is posted. */
  stop(farewell?: Farewell): Promise<void>;
}

export async function wire(options: WiringOptions): Promise<Service> {
  const { environment, clock = systemClock, asItIs } = options;
  const config = withEnvironment(options.config, environment);
  const base = await layFoundation({ ...options, config, clock, asItIs });
  try {
    return await wireOn(base, options, config);
  } catch (error) {
    // What stays open would keep the process alive: a command line that cannot go on has to end.
    await base.close();
    throw error;
  }
}

async function wireOn(base: Foundation, options: WiringOptions, config: ConfigFile): Promise<Service> {
  const { environment } = options;
  const settings = await withLiveRetention(base, config.settings);
  const { limits } = settings;
  const books = await openBooks(base, environment, limits);
  await openAccounting(base);
  const metrics = createMetrics();
  const { tracer, exporter } = startTracing(base, environment, metrics, books.replicaId);
  const memory = openMemoryBudget(limits, base.log);
  const path = await buildRequestPath(base, books, settings, metrics, tracer, memory);
  const { gw, knowledge, texts } = path;
  // The process's own lateness is measured in real time, whatever clock its service runs by.
  const lag = createLagGuard({ clock: systemClock, background: base.background, maxLagMs: limits.maxEventLoopLagMs });
  watch(metrics, gw, lag, {
    journal: () => books.journal.health(),
    poster: () => books.poster.health(),
    books: () => books.proofs.known(),
  });
  const uploads = await openUploadFiles({
    folder: join(environment.dataDir, 'uploads'),
    maxTotalBytes: limits.maxUploadsTotalBytes,
  });
  const kept = await openKept(base, path, limits, lag);
  await knowledge.start();
  const branding = await createBranding({ store: base.settings, log: base.log });
  const brand = () => branding.current().name;
  const ofPeople = { requestPath: gw.settings, brand, passwordWork: options.passwordWork };
  const { people, messenger, carriers, ...ways } = await openPeople(base, environment, options.progress, ofPeople);
  const alerts = openNotices(base, messenger);
  watchForStaff(base, alerts.notices, books);
  const announcements = createAnnouncements(base.tools);
  const catalogAdmin = openCatalogAdmin(base, config, alerts.notices, announcements);
  noteUseOfRoutes(base, catalogAdmin.catalog, gw.router);
  const { payments, reach } = openPayments(base, books.admission, catalogAdmin.catalog.pricing, alerts.notices);
  const journalMax = { records: limits.journalMaxRecords, bytes: limits.journalMaxBytes };
  watchForOutages(base, { path, books, alerts, reach, journalMax, carriers: ways.carrierReach, ...catalogAdmin });
  const phase = new ServicePhase();
  const operated = { gw, books, people, ...alerts, file: settings, ...ways, ...catalogAdmin };
  const admin = await operatorServices(base, operated);
  const http = createHttp({
    accessLog: base.environment.accessLog,
    gw,
    ...kept,
    config: settings,
    publicUrl: environment.publicUrl,
    uploads,
    knowledge: knowledge.service,
    ...openRequestLog(base, books.journal),
    ...operatorGuards(base),
    people,
    texts,
    admin,
    payments: {
      payments,
      ...openAccountingActs(base, payments, books.admission, alerts.notices),
      ...openReconciliation(base, payments, alerts.notices),
      accounts: base.accounts,
      origin: (asCalled) => environment.publicUrl ?? asCalled,
    },
    alerts,
    branding,
    carriers,
    setup: openSetup(base, { branding, catalog: catalogAdmin.catalog, messenger, payments }),
    support: openSupport(base, alerts.notices, announcements),
    pages: { ...pageFacts(base), pictures: path.pictures },
    phase,
    overloaded: () => lag.isOverloaded() || gw.running.size >= limits.maxConcurrentRequests,
    monitored: healthSources(base, books, metrics),
  });

  const open = await prepareToOpen(base, people, phase);
  const parts = { base, books, path, ...kept, people, exporter, http, phase, admin, drainMs: limits.drainMs };
  const stop = (farewell = NO_FAREWELL) => shutDown({ ...parts, farewell });
  return { app: http.app, open, database: base.db.kind, stop };
}

function pageFacts(base: Foundation) {
  return {
    uptime: createUptimeReports(base),
    prices: (modelId: string) => priceHistory(base.db, modelId),
    priceChanges: (question: PriceQuestion) => priceChanges(base.db, question),
  };
}

/**
 * Where no secrets are to be made and shown, requests are answered from the first connection on: a proxy that finds the port
 * open would hand a 503 to a customer.
 */
async function prepareToOpen(base: Foundation, people: People, phase: ServicePhase): Promise<Service['open']> {
  if (firstPasswordDigest(await base.settings.atStart()) !== undefined) {
    // Version 0.1.0 kept the first password when it was replaced, as a token.
    await base.db.transaction((tx) => people.operator.forgetFirstPassword(tx, 'startup'));
    phase.enter('open');
  }
  return async () => {
    const secrets = await base.makeFirstSecrets();
    phase.enter('open');
    return secrets;
  };
}

type OpenNotices = ReturnType<typeof openNotices>['notices'];

function openSupport({ tools }: Foundation, notices: OpenNotices, announcements: Announcements) {
  return { tickets: createTickets({ ...tools, notices }), announcements, incidents: createIncidents(tools) };
}
