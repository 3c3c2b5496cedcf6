/** All endpoints on one server. */
import type { FastifyInstance } from 'fastify';
import type { Batches } from '../batches/index.ts';
import type { Branding } from '../branding/index.ts';
import { catalogForSale } from '../catalog/index.ts';
import type { Settings } from '../config/index.ts';
import { GatewayError } from '../core/errors.ts';
import { VERSION } from '../core/version.ts';
import { type Call, type Gateway, memoryOf, refuseGuess } from '../gateway/index.ts';
import type { ClientSecrets } from '../keys/index.ts';
import type { KnowledgeService } from '../knowledge/index.ts';
import type { CarrierDirectory } from '../messages/index.ts';
import { type People, type PersonList, selectPerson } from '../people/index.ts';
import { ChangeFeed } from '../platform/changes.ts';
import type { UploadFiles } from '../platform/upload-files.ts';
import { openaiChatClient } from '../protocols/index.ts';
import { createUsageReports, type RequestLog, type RequestTexts } from '../requestlog/index.ts';
import type { ConversationStore, ResponseStore } from '../responses/index.ts';
import type { Setup } from '../setup/index.ts';
import type { TicketList } from '../support/index.ts';
import { AccessLog } from './access-log.ts';
import { bills } from './admin/bills.ts';
import { branding } from './admin/branding.ts';
import { desk } from './admin/desk.ts';
import { deskActs } from './admin/desk-acts.ts';
import { documents } from './admin/documents.ts';
import { type AdminServices, adminRoutes } from './admin/index.ts';
import { serviceLive } from './admin/live.ts';
import { operatorTokens } from './admin/operator-tokens.ts';
import { type OutageServices, outages } from './admin/outages.ts';
import { type AdminPaymentServices, payments as adminPayments } from './admin/payments.ts';
import { peopleRoutes } from './admin/people.ts';
import type { HealthState } from './admin/service.ts';
import { settlements } from './admin/settlements.ts';
import { setup } from './admin/setup.ts';
import { exportable } from './admin/staff-list.ts';
import { support } from './admin/support.ts';
import { createApp } from './app.ts';
import { clientAddress, listedProxies, secureCalls } from './client-address.ts';
import { textForgetter } from './close-account.ts';
import { limitConnections } from './connection-limit.ts';
import { type AlertServices, alerts } from './console/alerts.ts';
import { ownBatches } from './console/batches.ts';
import { type ConsoleServices, consoleRoutes } from './console/index.ts';
import { ownPayments } from './console/payments.ts';
import { ownTickets, type SupportServices } from './console/tickets.ts';
import { topUpReminder } from './console/top-up-reminder.ts';
import { LastRequests } from './last-requests.ts';
import { pause } from './live-answer.ts';
import { ModelFastPath } from './model-fast-path.ts';
import { type Monitored, monitoring, recordsHealth } from './monitoring.ts';
import { isPublic, serveDocument } from './openapi/serve-document.ts';
import { type PageSources, pages } from './pages/index.ts';
import { missingPages } from './pages/missing.ts';
import { pay } from './pay/index.ts';
import { peopleGuards, type TokenOwnerOf } from './people-guards.ts';
import { account } from './public/account.ts';
import { batches } from './public/batches.ts';
import { CHAT, chat, MESSAGES } from './public/chat.ts';
import { conversations } from './public/conversations.ts';
import { embeddingsAndAudio } from './public/embeddings-audio.ts';
import { files } from './public/files.ts';
import { gemini } from './public/gemini.ts';
import { knowledgeBases } from './public/knowledge-bases.ts';
import type { LineEndpoints } from './public/line-endpoints.ts';
import { messageBatches } from './public/message-batches.ts';
import { paidEndpoints } from './public/paid-endpoints.ts';
import { realtime } from './public/realtime.ts';
import { RESPONSES, responses } from './public/responses.ts';
import { type PublicSite, publicSite } from './public-site.ts';
import type { KnowledgeServices } from './receive-document.ts';
import { KeyRoutes } from './routes/key-routes.ts';
import { createRoutes, type Register } from './routes/register.ts';
import type { Serving } from './serve.ts';
import { type ServedSockets, serveSockets } from './sockets/index.ts';
import { createSpending } from './spending.ts';
import { BuiltSite } from './web/built-site.ts';
import { webApp } from './web/index.ts';

export type { LiveSettings, SettingsChange } from './admin/service.ts';

export interface BatchServices {
  service: Batches;
  endpoints: LineEndpoints;
  maxLineBytes: number;
  maxLines: number;
}

export interface HttpOptions {
  /** A line for every request. */
  accessLog: boolean;
  gw: Gateway;
  config: Settings;
  /** As customers see the service, if the operator says. */
  publicUrl: string | undefined;
  requestLog: RequestLog;
  responses: ResponseStore;
  conversations: ConversationStore;
  clientSecrets: ClientSecrets;
  uploads: UploadFiles;
  batches: BatchServices;
  knowledge: KnowledgeService;
  phase: {
    /** The server listens, but refuses requests until the start is done. */
    starting(): boolean;
    /** It was told to end, and says so to whoever asks whether it is ready. */
    leaving(): boolean;
    /** No new connection is taken; each open one gets one more answer. */
    parting(): boolean;
    /** Nothing is answered any more. */
    closed(): boolean;
  };
  overloaded(): boolean;
  mayReadMetrics(token: string | undefined): boolean;
  people: People;
  texts: RequestTexts;
  /** Whose token it is, if it opens the operator API. */
  tokenOwnerOf: TokenOwnerOf;
  isFirstPassword(text: string): boolean;
  /** Whether DARGAH_OPERATOR_TOKEN is set. */
  hasEnvironmentToken: boolean;
  admin: Omit<
    AdminServices,
    'people' | 'clock' | 'admission' | 'router' | 'requestLog' | 'knowledge' | 'health' | 'hand' | 'payments' | 'uptime'
  > &
    Pick<ConsoleServices, 'db' | 'secrets' | 'randomBytes'> & { personList: PersonList; ticketList: TicketList };
  payments: AdminPaymentServices;
  monitored: Pick<
    Monitored,
    | 'databaseHealthy'
    | 'databaseKind'
    | 'schema'
    | 'admissionHealth'
    | 'journalHealth'
    | 'posterHealth'
    | 'transportStats'
    | 'metrics'
  >;
  alerts: AlertServices & Omit<OutageServices, 'nameOf'>;
  support: SupportServices;
  pages: Pick<PageSources, 'uptime' | 'prices' | 'priceChanges' | 'pictures'>;
  branding: Branding;
  setup: Setup;
  carriers: CarrierDirectory;
}

export interface Http {
  app: FastifyInstance;
  lastRequests: Pick<LastRequests, 'stopListening' | 'over' | 'count'>;
  /** WebSockets end: at once where nothing is being answered, else after that. */
  leaveSockets(): void;
  /** Ends every connection now. */
  cutConnections(): void;
}

export function createHttp(options: HttpOptions): Http {
  const { gw, config, phase } = options;
  const serving: Serving = {
    gw,
    addressOf: clientAddress(config.trustedProxies),
    publicUrl: options.publicUrl,
    turnedAway() {
      if (phase.starting() || phase.closed() || options.overloaded())
        return new GatewayError('overloaded', { retryAfterMs: 2_000 });
      return undefined;
    },
    parting: phase.parting,
    accessLog: options.accessLog ? new AccessLog(gw.log, gw.clock) : undefined,
  };
  const { limits } = config;
  const serverLimits = serverLimitsOf(limits);
  const site = new BuiltSite();
  const brand = () => options.branding.current();
  const sendMissing = missingPages({ site, brand, origin: options.payments.origin });
  const app = createApp(serving, serverLimits, sendMissing, () => lastRequests.asked());
  const lastRequests = new LastRequests(app.server);
  const served = serveSockets(app, serving, limits);
  const fastPath = new ModelFastPath(app, serving, { ...serverLimits, fastPath: config.lane === 'on' });
  limitConnections(app.server, {
    perAddress: limits.maxConnectionsPerAddress,
    speaksForMany: listedProxies(config.trustedProxies),
  });
  const knowledge = {
    service: options.knowledge,
    uploads: options.uploads,
    maxDocumentBytes: limits.knowledgeMaxDocumentBytes,
    memoryOf: (call: Call) => memoryOf(call, gw),
    plainHosts: config.fetchAllowedHosts,
  };
  const { people, tokenOwnerOf } = options;
  const routes = createRoutes({
    app,
    serving,
    codec: openaiChatClient,
    guards: peopleGuards({
      people,
      accounts: options.admin.accounts,
      tokenOwnerOf,
      refuse: (call) => refuseGuess(call, 'unauthorized', gw),
    }),
    isSecure: secureCalls(config.trustedProxies, options.publicUrl),
  });
  const keyRoutes = new KeyRoutes({ app, fastPath, serving, codec: openaiChatClient, described: routes.described });
  publicEndpoints(keyRoutes, options, knowledge, { site: publicSite(options.publicUrl, app.server), served });
  signedInEndpoints(routes.register, options, knowledge, publicSite(options.publicUrl, app.server));
  pay(app, options.payments, { site, brand });
  serveDocument(app, routes);
  pages(app, {
    ...options.pages,
    site,
    brand,
    clock: gw.clock,
    endpoints: () => routes.described.filter(isPublic),
    catalog: () => catalogForSale(gw.catalog.current()),
    kept: config.limits,
    siteTexts: () => options.branding.siteTexts(),
    listPricesShown: () => people.settings.listPricesShown,
    incidents: options.support.incidents.list,
    publicUrl: options.publicUrl,
    origin: options.payments.origin,
  });
  webApp(app, site, brand, gw.clock);
  monitoring(app, {
    ...options.monitored,
    starting: phase.starting,
    draining: phase.leaving,
    journalAccepting: () => gw.journal.accepting(),
    mayReadMetrics: options.mayReadMetrics,
  });
  return { app, lastRequests, ...connectionsOf(app, fastPath, served) };
}

function connectionsOf(app: FastifyInstance, fastPath: ModelFastPath, { sockets }: ServedSockets) {
  return {
    leaveSockets: () => sockets.leave(),
    cutConnections() {
      app.server.closeAllConnections();
      fastPath.cut();
      sockets.cut();
    },
  };
}

function serverLimitsOf(limits: Settings['limits']) {
  return {
    bodyBytes: limits.maxBodyBytes,
    requestMs: limits.requestMs,
    keepAliveMs: 65_000,
  };
}

/** What is called with an API key. */
function publicEndpoints(
  routes: KeyRoutes,
  options: HttpOptions,
  knowledge: KnowledgeServices,
  { site, served }: { site: PublicSite; served: ServedSockets },
): void {
  const { gw, uploads, config } = options;
  chat(routes, gw);
  responses(routes, gw, options.responses, options.conversations, served);
  conversations(routes, gw, options.conversations);
  gemini(routes, gw);
  embeddingsAndAudio(routes, gw, { uploads, maxUploadBytes: config.limits.maxUploadBytes });
  paidEndpoints(routes, gw, config.limits.maxUploadBytes);
  const { service, endpoints } = options.batches;
  const { fileMaxBytes: maxFileBytes } = config.limits;
  files(routes, gw, { batches: service, uploads, maxFileBytes });
  batches(routes, gw, service, endpoints);
  messageBatches(routes, gw, { ...options.batches, uploads, maxFileBytes, site });
  realtime(routes, gw, options.clientSecrets, served);
  const { priceChanges: prices } = options.pages;
  account(routes, gw, { log: options.requestLog, usage: createUsageReports(options.admin.db), prices });
  knowledgeBases(routes, knowledge);
}

/** What operators and customers do when they are signed in: the operator API and the console's. */
function signedInEndpoints(
  register: Register,
  options: HttpOptions,
  knowledge: KnowledgeServices,
  site: PublicSite,
): void {
  const { gw, admin, people, isFirstPassword, requestLog, texts } = options;
  const { clock, admission, router } = gw;
  const health = () => healthOf(options);
  const feed = new ChangeFeed(admin.db);
  const { hand, payments } = options.payments;
  const { uptime } = options.pages;
  adminRoutes(register, {
    ...admin,
    uptime,
    hand,
    payments,
    people,
    clock,
    admission,
    router,
    requestLog,
    knowledge,
    health,
  });
  admin.exports.add(exportable(adminPayments(register, options.payments)));
  documents(register, { ...options.payments, ledger: admin.ledger, db: admin.db, record: admin.recordDocument });
  settlements(register, { ...options.payments, db: admin.db, clock });
  bills(register, { ...options.payments, db: admin.db });
  ownPayments(register, options.payments, people.attempts);
  branding(register, options.branding);
  setup(register, options.setup);
  operatorTokens(register, { people, clock, hasEnvironmentToken: options.hasEnvironmentToken });
  const { notices, outages: kept } = options.alerts;
  const spending = createSpending(admission, clock);
  const forgetTexts = textForgetter(texts, gw.responseCache, admin.db);
  const ofDesk = { clock, people, spending, requestLog, running: gw.running, notices, forgetTexts, outages: kept };
  desk(register, { ...admin, ...options.support, ...ofDesk });
  deskActs(register, { ...admin, people, notices, site });
  const ofPeople = peopleRoutes(register, {
    ...admin,
    people,
    isFirstPassword,
    record: admin.recordPerson,
    messageCarried: options.setup.messageCarried,
    carriers: options.carriers,
  });
  admin.exports.add(exportable(ofPeople));
  consoleRoutes(register, {
    ...admin,
    gw,
    people,
    isFirstPassword,
    site,
    knowledge,
    requestLog,
    texts,
    forgetTexts,
    feed,
    protocol: CHAT,
    kept: options.config.limits,
    serviceName: () => options.branding.current().name.en,
    protocols: { 'chat.completions': CHAT, messages: MESSAGES, responses: RESPONSES },
  });
  alerts(register, options.alerts, people.attempts);
  topUpReminder(register, options.alerts);
  ownBatches(register, options.batches.service);
  ownTickets(register, options.support);
  admin.exports.add(exportable(support(register, options.support, { ...admin, ...options.alerts })));
  const nameOf = async (id: string) => (await selectPerson(admin.db, id)).name;
  outages(register, { ...options.alerts, nameOf });
  serviceLive(register, { clock, pause, log: requestLog, feed });
}

function healthOf({ gw, phase, overloaded, monitored }: HttpOptions): HealthState {
  return {
    object: 'health',
    version: VERSION,
    schema: monitored.schema(),
    draining: phase.leaving(),
    overloaded: overloaded(),
    running_requests: gw.running.size,
    database: monitored.databaseHealthy() ? 'ok' : 'unreachable',
    database_kind: monitored.databaseKind(),
    admission: { ...monitored.admissionHealth() },
    ...recordsHealth({ ...monitored, journalAccepting: () => gw.journal.accepting() }),
  };
}

export type { ConformanceServices } from './admin/conformance.ts';
export type { OperatorTools } from './admin/operations.ts';
export { lineEndpoints } from './public/line-endpoints.ts';
