/** The web server: which address leads where. Endpoints are passed what they need; nothing is constructed here. */

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { refuseBrokenText } from '../core/broken-text.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { authenticate, type Call, readWindowsForHeaders } from '../gateway/index.ts';
import type { CalledEndpoint } from '../keys/index.ts';
import { refuseEarly } from './early-refusal.ts';
import { endpointOf, isBehindKey } from './endpoint-at.ts';
import { type Arrival, callOf } from './incoming.ts';
import { commonHeaders } from './outgoing.ts';
import { isReader, type SendMissing } from './pages/missing.ts';
import { httpReasons } from './reasons.ts';
import { receiveBody } from './receive-body.ts';
import { notFoundAt } from './right-address.ts';
import { findRoutesOfAreas } from './routes/areas.ts';
import { MAX_PARAM_CHARS } from './routes/route-table.ts';
import { explainError, type Serving } from './serve.ts';

export interface ServerLimits {
  bodyBytes: number;
  /** Time for a client to send its headers and body: a slow sender must not hold a connection for ever. */
  requestMs: number;
  /** How long an idle keep-alive connection stays open. */
  keepAliveMs: number;
}

export function createApp(
  serving: Serving,
  limits: ServerLimits,
  sendMissing: SendMissing,
  onLastRequest: () => void,
): FastifyInstance {
  const missing = (error: GatewayError, request: FastifyRequest, reply: FastifyReply) => {
    if (!isReader(request)) return explainFault(serving, request, reply, () => error);
    const right = error.options.detail?.['correct_path'];
    return sendMissing(request, reply, typeof right === 'string' ? right : undefined);
  };
  const onFault = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    explainFault(serving, request, reply, (call) => readable(error, request.url, serving, call));
  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    http: {
      // Headers are small: a sender that needs half the time of a whole request for them is not a real client.
      headersTimeout: limits.requestMs / 2,
      // How often Node checks for slow senders; its default of 30 s would double short limits.
      connectionsCheckingInterval: Math.min(5_000, limits.requestMs / 2),
    },
    keepAliveTimeout: limits.keepAliveMs,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: MAX_PARAM_CHARS, ignoreTrailingSlash: true },
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // An address that cannot be decoded fails before any handler is known.
    frameworkErrors: (error, request, reply) => void onFault(error, request, reply),
  });
  readBodiesAsBytes(app);
  findRoutesOfAreas(app);
  nameEveryResponse(app, serving);
  serving.accessLog?.watch(app);
  turnAwayEarly(app, serving, onLastRequest);
  refuseBrokenAddresses(app);
  refuseEarly(app, serving.gw, {
    callOf: (request, reply) =>
      callOf(arrivalOf(request, reply, endpointOf(request).endpoint), serving.addressOf, serving.gw),
    explain: (reply, request, call, error) =>
      void explainError(serving, reply.raw, call, endpointOf(request).codec, error),
  });
  app.setErrorHandler((error, request, reply) =>
    isMissing(error) ? missing(error, request, reply) : onFault(error, request, reply),
  );
  app.setNotFoundHandler((request, reply) => missing(notFoundAt(request.url), request, reply));
  app.head('/api', (_request, reply) => reply.code(200).send());
  return app;
}

/**
 * No route gives the framework a schema (routes/check-schema.ts validates). With these compilers set, the framework
 * does not even load its own.
 */
function noCompiler(): never {
  throw new Error('a route gave the web framework a schema');
}

function isMissing(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === 'not_found';
}

async function explainFault(
  serving: Serving,
  request: FastifyRequest,
  reply: FastifyReply,
  fault: (call: Call) => GatewayError | Promise<GatewayError>,
): Promise<void> {
  const { endpoint, codec } = endpointOf(request);
  const call = callOf(arrivalOf(request, reply, endpoint), serving.addressOf, serving.gw);
  reply.hijack();
  await explainError(serving, reply.raw, call, codec, await fault(call));
}

function arrivalOf(request: FastifyRequest, reply: FastifyReply, endpoint: CalledEndpoint): Arrival {
  return { incoming: request.raw, outgoing: reply.raw, endpoint, body: request.body };
}

/** Endpoints write their own headers; what the web server answers by itself (health, pages) gets its id and rates here. */
function nameEveryResponse(app: FastifyInstance, serving: Serving): void {
  app.addHook('onSend', async (request, reply) => {
    const { endpoint, codec } = endpointOf(request);
    const call = callOf(arrivalOf(request, reply, endpoint), serving.addressOf, serving.gw);
    await readWindowsForHeaders(call, serving.gw).catch(() => undefined);
    reply.headers(commonHeaders(call, codec, serving.gw.clock.now()));
  });
}

/** Under overload not even the body is read: reading megabytes only to refuse them would worsen the overload. */
function turnAwayEarly(app: FastifyInstance, serving: Serving, onLastRequest: () => void): void {
  // The hook takes a callback instead of a promise, because it runs before every request.
  app.addHook('onRequest', (request, reply, done) => {
    if (serving.parting()) {
      reply.raw.shouldKeepAlive = false;
      onLastRequest();
    }
    done(isBehindKey(request.url) ? serving.turnedAway() : undefined);
  });
}

/** Every address of endpoints and pages is checked, because parts of it are looked up in a database that cannot hold NUL. */
function refuseBrokenAddresses(app: FastifyInstance): void {
  app.addHook('onRequest', ({ url, params, query }, _reply, done) => {
    if (!url.includes('%00')) {
      done();
      return;
    }
    try {
      const { '*': rest, ...named } = params as Record<string, unknown>;
      refuseBrokenText(named);
      refuseBrokenText(rest, 'path');
      refuseBrokenText(query);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Bodies stay bytes until the caller is known: parsing is the gateway's second step, not the server's first. */
function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', receiveBody);
}

/** Errors of the HTTP layer itself, in our texts. A caller without a valid key only learns that. */
async function readable(error: unknown, url: string, serving: Serving, call: Call): Promise<GatewayError> {
  const fault = httpFault(error);
  if (fault.code === 'internal_error' || !isBehindKey(url)) return fault;
  try {
    await authenticate(call, serving.gw);
    return fault;
  } catch (refusal) {
    return refusal instanceof GatewayError ? refusal : fault;
  }
}

function httpFault(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const { statusCode } = error as { statusCode?: number };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return invalidRequest(undefined, httpReasons.unreadable, {
      cause: error,
    });
  }
  return new GatewayError('internal_error', { cause: error });
}
