/**
 * What is decided about a large body before it is read: its caller must be known from the headers alone, and the memory
 * budget must have room for it. Small bodies arrive with their headers and are not checked here.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, type Call, type Gateway, LARGE_BODY_BYTES } from '../gateway/index.ts';
import {
  type BodyOwner,
  bodyTooLarge,
  closeAfterwards,
  isLarge,
  prepareBodyMemory,
  reserveForBody,
} from './body-memory.ts';
import { isBehindKey } from './endpoint-at.ts';
import { isForm } from './receive-document.ts';
import { notFoundAt } from './right-address.ts';
import { routeOf } from './routes/areas.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Authenticates by the headers alone, and returns whose memory it is. Absent: unknown callers may call, with small
     * bodies.
     */
    knowCaller?: (request: FastifyRequest, reply: FastifyReply) => Promise<string>;
    /** Bodies that are left on the wire for the handler, which writes them to disk. */
    onWire?: 'all' | 'forms';
  }
  interface FastifyRequest {
    bodyOwner: BodyOwner | undefined;
  }
}

export interface EarlyRefusal {
  /** The call of a request that no endpoint has seen yet. */
  callOf(request: FastifyRequest, reply: FastifyReply): Call;
  /** Writes a refusal. */
  explain(reply: FastifyReply, request: FastifyRequest, call: Call, error: unknown): void;
}

export function refuseEarly(app: FastifyInstance, gw: Gateway, { callOf, explain }: EarlyRefusal): void {
  prepareBodyMemory(app);
  app.decorateRequest('bodyOwner', undefined);
  // The hooks take a callback instead of a promise, because they run before every request.
  app.addHook('onRequest', (request, reply, done) => {
    if (!isLarge(request)) {
      done();
      return;
    }
    const call = callOf(request, reply);
    knownCaller(request, reply, call, gw).then(
      (owner) => {
        request.bodyOwner = owner;
        done();
      },
      (error: unknown) => {
        closeAfterwards(reply);
        reply.hijack();
        explain(reply, request, call, error);
      },
    );
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { bodyOwner } = request;
    if (bodyOwner === undefined || staysOnWire(request)) {
      done(null, payload);
      return;
    }
    reserveForBody(request, reply, payload, gw.memory, bodyOwner).then(
      (paid) => done(null, paid),
      (error: Error) => {
        closeAfterwards(reply);
        done(error);
      },
    );
  });
}

async function knownCaller(request: FastifyRequest, reply: FastifyReply, call: Call, gw: Gateway): Promise<BodyOwner> {
  const { bodyLimit: maxBytes } = request.routeOptions;
  if (isBehindKey(request.url)) {
    const key = await authenticate(call, gw);
    if (request.is404) throw notFoundAt(request.url);
    return { owner: key.account.id, maxBytes };
  }
  if (request.is404) throw notFoundAt(request.url);
  // Behind such an address the handler authenticates before it reads.
  if (staysOnWire(request)) return { owner: undefined, maxBytes };
  const { knowCaller } = routeOf(request);
  if (knowCaller) return { owner: await knowCaller(request, reply), maxBytes };
  if (request.headers['content-length'] !== undefined) throw bodyTooLarge();
  // Some proxies send small bodies without their length.
  return { owner: undefined, maxBytes: LARGE_BODY_BYTES };
}

function staysOnWire({ routeOptions, headers }: FastifyRequest): boolean {
  const { onWire } = routeOptions.config;
  return onWire === 'all' || (onWire === 'forms' && isForm(headers['content-type']));
}
