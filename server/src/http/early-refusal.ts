/**
 * What is decided about a large body before it is read: its caller must have a valid key, by the head alone, and there must
 * be room for it in the one budget. Small bodies come with their head and are not worth a second look.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../core/errors.ts';
import { authenticate, type Call, type Gateway, LARGE_BODY_BYTES } from '../gateway/index.ts';
import type { BodyBudget } from './body-budget.ts';
import { isForm } from './receive-document.ts';

export interface EarlyRefusal {
  budget: BodyBudget;
  /** The call of a request that no endpoint has seen yet. */
  callOf(request: FastifyRequest, reply: FastifyReply): Call;
  /** Writes a refusal. */
  explain(reply: FastifyReply, request: FastifyRequest, call: Call, error: unknown): void;
}

export function refuseEarly(app: FastifyInstance, gw: Gateway, { budget, callOf, explain }: EarlyRefusal): void {
  // With `done` instead of a promise: these run before every request.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith('/api/v1/') || !isLarge(request)) {
      done();
      return;
    }
    const call = callOf(request, reply);
    callerOf(call, gw).then(
      () => done(),
      (error: unknown) => {
        // The rest of the body is not read, so the connection cannot be used again.
        reply.raw.shouldKeepAlive = false;
        reply.hijack();
        explain(reply, request, call, error);
      },
    );
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!isLarge(request) || isForm(request.headers['content-type'])) {
      done(null, payload);
      return;
    }
    const share = budget.open();
    reply.raw.once('close', () => share.release());
    const declared = Number(request.headers['content-length']);
    if (Number.isFinite(declared)) {
      if (share.take(declared)) done(null, payload);
      else {
        reply.raw.shouldKeepAlive = false;
        done(noRoom());
      }
      return;
    }
    payload.on('data', (piece: Buffer) => {
      if (!share.take(piece.length)) payload.destroy(noRoom());
    });
    done(null, payload);
  });
}

async function callerOf(call: Call, gw: Gateway): Promise<unknown> {
  return await authenticate(call, gw);
}

/** A body of unknown length counts as large. */
function isLarge({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) > LARGE_BODY_BYTES;
}

function noRoom(): GatewayError {
  return new GatewayError('overloaded', { retryAfterMs: 2_000, cause: 'the budget for bodies is used up' });
}
