/** The web server: which address leads where. Endpoints get what they need handed in; nothing is constructed here. */
import Fastify, { type FastifyInstance } from 'fastify';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import { authenticate } from '../gateway/index.ts';
import type { ClientCodec } from '../protocols/index.ts';
import { callOf } from './incoming.ts';
import { explain, type Serving } from './serve.ts';

export interface ServerLimits {
  bodyBytes: number;
  /** Time for a client to send its headers and body: a slow sender must not hold a connection for ever. */
  requestMs: number;
  /** Idle keep-alive connections. */
  keepAliveMs: number;
}

/** The part of the address after `/api/v1`, to recognise a client whose base address lacks `/v1`. */
const FIRST_STYLE = /^\/api\/(chat\/completions|embeddings|audio\/|models|responses|key$|requests\/)/;

export function createApp(serving: Serving, style: ClientCodec, limits: ServerLimits): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    exposeHeadRoutes: false,
  });
  readBodiesAsBytes(app);
  app.setErrorHandler(async (error, request, reply) => {
    const call = callOf({ request, reply, endpoint: 'models' }, serving.addressOf, serving.gw);
    reply.hijack();
    await explain(serving, reply, call, style, await readable(error, serving, call));
  });
  app.setNotFoundHandler(async (request, reply) => {
    const call = callOf({ request, reply, endpoint: 'models' }, serving.addressOf, serving.gw);
    reply.hijack();
    await explain(serving, reply, call, style, notFound(request.url));
  });
  app.head('/api', (_request, reply) => reply.code(200).send());
  return app;
}

/** Bodies stay bytes until the caller is known: parsing is the gateway's second step, not the server's first. */
function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** Faults of the HTTP layer itself, in our words. A caller without a valid key learns that first, whatever it sent. */
async function readable(error: unknown, serving: Serving, call: Parameters<typeof explain>[2]): Promise<GatewayError> {
  const fault = httpFault(error);
  if (fault.code === 'internal_error') return fault;
  try {
    await authenticate(call, serving.gw);
    return fault;
  } catch (refusal) {
    return refusal instanceof GatewayError && refusal.code === 'invalid_api_key' ? refusal : fault;
  }
}

function httpFault(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return invalidRequest(
      undefined,
      reasons.custom('بدنهٔ درخواست بزرگ‌تر از حد مجاز است.', 'The request body is larger than allowed.'),
      { status: 413 },
    );
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return invalidRequest(undefined, reasons.custom('درخواست خوانا نبود.', 'The request could not be read.'), {
      cause: error,
    });
  }
  return new GatewayError('internal_error', { cause: error });
}

function notFound(url: string): GatewayError {
  if (!FIRST_STYLE.test(url)) return new GatewayError('not_found');
  return new GatewayError('not_found', {
    reason: reasons.custom(
      'نشانی پایه باید به ‎/api/v1 ختم شود؛ ‎/v1 در نشانی شما نیست.',
      'The base address must end in /api/v1; yours lacks the /v1.',
    ),
  });
}
