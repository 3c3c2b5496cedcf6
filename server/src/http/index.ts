/** All endpoints on one server. */
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../config/index.ts';
import { GatewayError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { type Gateway, refuseGuess } from '../gateway/index.ts';
import type { KnowledgeService } from '../knowledge/index.ts';
import type { People } from '../people/index.ts';
import type { UploadFiles } from '../platform/upload-files.ts';
import {
  anthropicMessagesClient,
  decodeCountTokensRequest,
  openaiChatClient,
  openaiResponsesClient,
} from '../protocols/index.ts';
import type { RequestLog, RequestTexts } from '../requestlog/index.ts';
import type { ResponseStore } from '../responses/index.ts';
import { type AdminServices, adminRoutes } from './admin/index.ts';
import { payments as adminPayments } from './admin/payments.ts';
import { peopleRoutes } from './admin/people.ts';
import { support } from './admin/support.ts';
import { createApp } from './app.ts';
import { clientAddress, listedProxies, secureCalls } from './client-address.ts';
import { limitConnections } from './connection-limit.ts';
import { type AlertEndpoints, alerts } from './console/alerts.ts';
import { peopleDoors, type TokenName } from './console/doors.ts';
import { type ConsoleServices, consoleRoutes } from './console/index.ts';
import { ownPayments, type PaymentEndpoints } from './console/payments.ts';
import { ownTickets, type SupportEndpoints } from './console/tickets.ts';
import { DirectLane } from './direct-lane.ts';
import { ChatCompletionRequest } from './openapi/bodies/chat-completions.ts';
import { CountTokensRequest, MessagesRequest } from './openapi/bodies/messages.ts';
import { ResponsesRequest } from './openapi/bodies/responses.ts';
import { gated, gatedClient } from './openapi/gated-codec.ts';
import { KNOWLEDGE_ENDPOINTS } from './openapi/knowledge-endpoints.ts';
import { PUBLIC_ENDPOINTS } from './openapi/public-endpoints.ts';
import { serveDocument } from './openapi/serve-document.ts';
import { type Operations, operations, recordsHealth } from './operations.ts';
import { pages } from './pages/index.ts';
import { pay } from './pay/index.ts';
import { chatCompletions } from './public/chat-completions.ts';
import { embeddings } from './public/embeddings.ts';
import { key } from './public/key.ts';
import { knowledgeBases } from './public/knowledge-bases.ts';
import { messages } from './public/messages.ts';
import { models } from './public/models.ts';
import { requests } from './public/requests.ts';
import { responses } from './public/responses.ts';
import { speech } from './public/speech.ts';
import { transcriptions } from './public/transcriptions.ts';
import { createRoutes } from './routes/register.ts';
import type { Serving } from './serve.ts';
import { webApp } from './web/index.ts';

export type { LiveSettings, SettingsChange } from './admin/service.ts';

export interface HttpOptions {
  gw: Gateway;
  config: Settings;
  requestLog: RequestLog;
  responses: ResponseStore;
  uploads: UploadFiles;
  knowledge: KnowledgeService;
  /** It listens, but nobody may come in yet. */
  starting(): boolean;
  draining(): boolean;
  overloaded(): boolean;
  mayReadMetrics(token: string | undefined): boolean;
  people: People;
  texts: RequestTexts;
  /** Whose token it is, if it opens the operator API. */
  tokenOwner: TokenName;
  isFirstPassword(text: string): boolean;
  admin: Omit<AdminServices, 'clock' | 'admission' | 'router' | 'requestLog' | 'knowledge' | 'health'> &
    Pick<ConsoleServices, 'db' | 'secrets' | 'randomBytes'>;
  payments: PaymentEndpoints;
  operations: Pick<
    Operations,
    'databaseHealthy' | 'admissionHealth' | 'journalHealth' | 'posterHealth' | 'transportStats' | 'metrics'
  >;
  alerts: AlertEndpoints;
  support: SupportEndpoints;
}

/** Each protocol with its published schema; compiled once. */
const chatClient = gatedClient(ChatCompletionRequest, openaiChatClient);
const messagesClient = gatedClient(MessagesRequest, anthropicMessagesClient);
const responsesClient = gatedClient(ResponsesRequest, openaiResponsesClient);
const decodeForCounting = gated(CountTokensRequest, decodeCountTokensRequest);

export interface Http {
  app: FastifyInstance;
  /** Ends every connection now. */
  cutConnections(): void;
}

export function createHttp(options: HttpOptions): Http {
  const { gw, config } = options;
  const serving: Serving = {
    gw,
    addressOf: clientAddress(config.trustedProxies),
    turnedAway() {
      if (options.starting() || options.draining() || options.overloaded())
        return new GatewayError('overloaded', { retryAfterMs: 2_000 });
      return undefined;
    },
  };
  const { limits } = config;
  const serverLimits = {
    bodyBytes: limits.maxBodyBytes,
    bodiesTotalBytes: limits.maxBodiesTotalBytes,
    requestMs: limits.requestMs,
    keepAliveMs: 65_000,
  };
  const app = createApp(serving, serverLimits);
  const lane = new DirectLane(app, serving, { ...serverLimits, lane: config.lane === 'on' });
  limitConnections(app.server, {
    perAddress: limits.maxConnectionsPerAddress,
    speaksForMany: listedProxies(config.trustedProxies),
  });
  chatCompletions(lane, serving, { client: chatClient, responseIdPrefix: 'chatcmpl-' });
  messages(lane, serving, { client: messagesClient, responseIdPrefix: 'msg_' }, decodeForCounting);
  responses(app, lane, serving, { client: responsesClient, responseIdPrefix: 'resp_' }, options.responses);
  embeddings(lane, serving, openaiChatClient);
  speech(app, serving, openaiChatClient);
  transcriptions(app, serving, openaiChatClient, {
    uploads: options.uploads,
    maxUploadBytes: limits.maxUploadBytes,
  });
  const knowledge = {
    service: options.knowledge,
    uploads: options.uploads,
    maxDocumentBytes: limits.knowledgeMaxDocumentBytes,
    plainHosts: config.fetchAllowedHosts,
  };
  knowledgeBases(app, serving, openaiChatClient, knowledge);
  models(app, serving, openaiChatClient);
  key(app, serving, openaiChatClient);
  requests(app, serving, openaiChatClient, options.requestLog);
  const { people, tokenOwner, isFirstPassword } = options;
  const routes = createRoutes({
    app,
    serving,
    codec: openaiChatClient,
    doors: peopleDoors({ people, tokenName: tokenOwner, refuse: (call) => refuseGuess(call, 'unauthorized', gw) }),
    isSecure: secureCalls(config.trustedProxies),
  });
  adminRoutes(routes.register, {
    ...options.admin,
    clock: gw.clock,
    admission: gw.admission,
    router: gw.router,
    requestLog: options.requestLog,
    knowledge,
    health: () => healthOf(options),
  });
  adminPayments(routes.register, options.payments);
  ownPayments(routes.register, options.payments);
  pay(app, options.payments);
  peopleRoutes(routes.register, { ...options.admin, people, isFirstPassword, record: options.admin.recordPerson });
  consoleRoutes(routes.register, {
    ...options.admin,
    gw,
    people,
    isFirstPassword,
    knowledge,
    requestLog: options.requestLog,
    texts: options.texts,
    protocol: { client: chatClient, responseIdPrefix: 'chatcmpl-' },
    protocols: {
      'chat.completions': { client: chatClient, responseIdPrefix: 'chatcmpl-' },
      messages: { client: messagesClient, responseIdPrefix: 'msg_' },
      responses: { client: responsesClient, responseIdPrefix: 'resp_' },
    },
  });
  alerts(routes.register, options.alerts);
  ownTickets(routes.register, options.support);
  support(routes.register, options.support, options.alerts.notices);
  const endpoints = () => [...PUBLIC_ENDPOINTS, ...KNOWLEDGE_ENDPOINTS, ...routes.described];
  serveDocument(app, endpoints);
  pages(app, { endpoints, catalog: () => gw.catalog.current() });
  webApp(app);
  operations(app, {
    ...options.operations,
    starting: options.starting,
    draining: options.draining,
    journalAccepting: () => gw.journal.accepting(),
    mayReadMetrics: options.mayReadMetrics,
  });
  return {
    app,
    cutConnections() {
      app.server.closeAllConnections();
      lane.cut();
    },
  };
}

function healthOf({ gw, draining, overloaded, operations: ops }: HttpOptions): JsonObject {
  return {
    object: 'health',
    draining: draining(),
    overloaded: overloaded(),
    running_requests: gw.running.size,
    database: ops.databaseHealthy() ? 'ok' : 'unreachable',
    admission: { ...ops.admissionHealth() },
    ...recordsHealth({ ...ops, journalAccepting: () => gw.journal.accepting() }),
  };
}

export type { OperatorTools } from './admin/operations.ts';
