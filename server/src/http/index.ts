/** All endpoints on one server. */
import type { FastifyInstance } from 'fastify';
import { catalogForSale } from '../catalog/index.ts';
import type { Settings } from '../config/index.ts';
import { GatewayError } from '../core/errors.ts';
import { type Call, memoryOf, refuseGuess } from '../gateway/index.ts';
import { openaiChatClient } from '../protocols/index.ts';
import { AccessLog } from './access-log.ts';
import { createApp } from './app.ts';
import { clientAddress, listedProxies, secureCalls } from './client-address.ts';
import { limitConnections } from './connection-limit.ts';
import type { HttpOptions } from './http-options.ts';
import { LastRequests } from './last-requests.ts';
import { ModelFastPath } from './model-fast-path.ts';
import { monitoring } from './monitoring.ts';
import { mountKeyEndpoints } from './mount-key-endpoints.ts';
import { mountSignedInEndpoints } from './mount-signed-in.ts';
import { isPublic, serveDocument } from './openapi/serve-document.ts';
import { pages } from './pages/index.ts';
import { missingPages } from './pages/missing.ts';
import { pay } from './pay/index.ts';
import { peopleGuards } from './people-guards.ts';
import { publicSite } from './public-site.ts';
import { KeyRoutes } from './routes/key-routes.ts';
import { createRoutes } from './routes/register.ts';
import type { Serving } from './serve.ts';
import { type ServedSockets, serveSockets } from './sockets/index.ts';
import { BuiltSite } from './web/built-site.ts';
import { webApp } from './web/index.ts';

export type { LiveSettings, SettingsChange } from './admin/service.ts';

export interface Http {
  app: FastifyInstance;
  lastRequests: Pick<LastRequests, 'stopListening' | 'answered'>;
  /** Closes WebSockets: at once where nothing is being answered, else after that. */
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
  mountKeyEndpoints(keyRoutes, options, knowledge, { site: publicSite(options.publicUrl, app.server), served });
  mountSignedInEndpoints(routes.register, options, knowledge, publicSite(options.publicUrl, app.server));
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

export type { ConformanceServices } from './admin/conformance.ts';
export type { OperatorTools } from './admin/operations.ts';
export type { HttpOptions } from './http-options.ts';
export { lineEndpoints } from './public/line-endpoints.ts';
