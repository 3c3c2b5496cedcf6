/** The memory that is reserved for the large body of a request, from before it is read until the request has ended. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { type GatewayError, invalidRequest } from '../core/errors.ts';
import { LARGE_BODY_BYTES } from '../gateway/index.ts';
import { JSON_MEMORY_FACTOR, type MemoryBudget, type MemoryShare } from '../platform/memory-budget.ts';
import { httpReasons } from './reasons.ts';

declare module 'fastify' {
  interface FastifyRequest {
    bodyMemory: MemoryShare | undefined;
  }
}

/** Memory for bodies of unknown length is reserved in steps of this size. */
const STEP_BYTES = LARGE_BODY_BYTES;

export function prepareBodyMemory(app: FastifyInstance): void {
  app.decorateRequest('bodyMemory', undefined);
}

/** A body of unknown length counts as large. */
export function isLarge({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) > LARGE_BODY_BYTES;
}

/** The account that the memory counts against, where it is known, and how much of the body is read at most. */
export interface BodyOwner {
  owner: string | undefined;
  maxBytes: number;
}

/** Reserves memory for the body before any of it is read. Rejects with `overloaded`. */
export async function reserveForBody(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload,
  budget: MemoryBudget,
  { owner, maxBytes }: BodyOwner,
): Promise<RequestPayload> {
  const share = budget.open(owner);
  request.bodyMemory = share;
  // A running handler has claimed the share, because its work may go on after the client has left.
  reply.raw.once('close', () => claimBodyMemory(request)?.release());
  const declared = Number(request.headers['content-length']);
  if (!Number.isFinite(declared))
    return Readable.from(paidInSteps(payload, share, maxBytes, () => closeAfterwards(reply)));
  // A body beyond the limit is refused by its Content-Length, unread.
  if (declared <= maxBytes) await share.reserve('bodies', declared * JSON_MEMORY_FACTOR);
  return payload;
}

async function* paidInSteps(
  payload: RequestPayload,
  share: MemoryShare,
  maxBytes: number,
  onRefusal: () => void,
): AsyncGenerator<Buffer> {
  let paid = 0;
  let read = 0;
  try {
    // The stream is left open, because the refusal is still to be sent on the same connection.
    for await (const piece of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      read += piece.length;
      if (read > maxBytes) throw bodyTooLarge();
      if (read > paid) {
        const step = Math.max(STEP_BYTES, read - paid);
        await share.reserve('bodies', step * JSON_MEMORY_FACTOR);
        paid += step;
      }
      yield piece;
    }
  } catch (error) {
    onRefusal();
    throw error;
  }
}

/** The rest of the body is not read, so the connection cannot be reused. */
export function closeAfterwards(reply: FastifyReply): void {
  reply.raw.shouldKeepAlive = false;
}

export function bodyTooLarge(): GatewayError {
  return invalidRequest(undefined, httpReasons.bodyTooLarge, { status: 413 });
}

/** Whoever claims the share releases it. A small body that came without its length counts as small. */
export function claimBodyMemory(request: FastifyRequest): MemoryShare | undefined {
  const { bodyMemory: share, body } = request;
  request.bodyMemory = undefined;
  if (!(body instanceof Uint8Array) || body.length > LARGE_BODY_BYTES) return share;
  share?.release();
  return undefined;
}
