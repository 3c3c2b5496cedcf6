/**
 * The frame around every public endpoint: builds the call, runs it, answers or explains; refusals get a row in the
 * request log.
 */

import { remedyPath } from '@dargah/core/remedies.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdmissionUnavailable } from '../admission/index.ts';
import type { Answer } from '../core/answer.ts';
import { asGatewayError, GatewayError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { type Call, type Gateway, readWindowsForHeaders, recordRefusal } from '../gateway/index.ts';
import type { Endpoint } from '../keys/index.ts';
import { JSON_MEMORY_FACTOR, noMemory } from '../platform/memory-budget.ts';
import type { ClientCodec } from '../protocols/index.ts';
import type { AccessLog } from './access-log.ts';
import { claimBodyMemory } from './body-memory.ts';
import type { ClientAddress } from './client-address.ts';
import { type Arrival, callOf } from './incoming.ts';
import { commonHeaders, errorHeaders, sendAnswer, sendBody } from './outgoing.ts';
import type { Headers, Reply } from './reply.ts';

export interface Serving {
  gw: Gateway;
  addressOf: ClientAddress;
  /** Without it errors carry no link: the caller's Host header is not trusted. */
  publicUrl: string | undefined;
  /** Refuses at once when the process is overloaded, or about to end. */
  turnedAway(): GatewayError | undefined;
  /** True when the next answer on each connection is its last. */
  parting(): boolean;
  /** It is undefined where no line per request is wanted. */
  accessLog: AccessLog | undefined;
}

export type Handler = (call: Call, request: FastifyRequest) => Promise<Answer>;

/** Serves an endpoint behind the web framework. */
export function serve(serving: Serving, endpoint: Endpoint, codec: ClientCodec, handler: Handler) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.hijack();
    const arrival: Arrival = {
      incoming: request.raw,
      outgoing: reply.raw,
      endpoint,
      body: request.body,
      memory: claimBodyMemory(request),
    };
    return answerArrival(serving, arrival, codec, (call) => handler(call, request));
  };
}

export async function answerArrival(
  serving: Serving,
  arrival: Arrival,
  codec: ClientCodec,
  handler: (call: Call) => Promise<Answer>,
): Promise<void> {
  const { outgoing } = arrival;
  const { memory } = serving.gw;
  const smallBody = smallBodyMemory(arrival);
  let counted = false;
  let call: Call | undefined;
  try {
    call = callOf(arrival, serving.addressOf, serving.gw);
    const refusal = serving.turnedAway();
    if (refusal) throw refusal;
    counted = memory.addSmall(smallBody);
    if (!counted) throw noMemory();
    const answer = await handler(call);
    const { clock, settings } = serving.gw;
    const streaming = sendAnswer(outgoing, answer, commonHeaders(call, codec, clock.now()), settings.readerIdleMs);
    if (streaming) await streaming;
    serving.accessLog?.answered(call, outgoing, answer.kind === 'body' ? answer.status : 200);
  } catch (error) {
    call ??= callOf(arrival, serving.addressOf, serving.gw);
    const status = await explainError(serving, outgoing, call, codec, error);
    serving.accessLog?.answered(call, outgoing, status);
  } finally {
    if (counted) memory.removeSmall(smallBody);
    (call ? call.metadata.memory : arrival.memory)?.release();
  }
}

/** A large body has its share of the budget already. */
function smallBodyMemory({ body, memory }: Arrival): number {
  return memory === undefined && body instanceof Uint8Array ? body.length * JSON_MEMORY_FACTOR : 0;
}

/** Answers with the error and returns its status. */
export async function explainError(
  serving: Serving,
  outgoing: Reply,
  call: Call,
  codec: ClientCodec,
  error: unknown,
): Promise<number> {
  const { shown, headers, body } = await explanationOf(serving, call, codec, error);
  if (outgoing.headersSent) {
    outgoing.destroy();
    return shown.status;
  }
  sendBody(outgoing, shown.status, headers, 'application/json; charset=utf-8', JSON.stringify(body));
  return shown.status;
}

export interface Explanation {
  shown: GatewayError;
  headers: Headers;
  body: JsonObject;
}

/** What a refused caller is told. The refusal is logged and has its row. */
export async function explanationOf(
  serving: Serving,
  call: Call,
  codec: ClientCodec,
  error: unknown,
): Promise<Explanation> {
  const { gw } = serving;
  const shown = publicError(error);
  if (shown.code === 'internal_error')
    gw.log.error({ requestId: call.id, err: shown.cause ?? shown }, 'request failed');
  else
    gw.log.info(
      { requestId: call.id, code: shown.code, param: shown.options.param, keyId: call.metadata.key?.id },
      'request refused',
    );
  try {
    await readWindowsForHeaders(call, gw);
    recordRefusal(call, shown, gw);
  } catch (failure) {
    gw.log.warn({ requestId: call.id, err: failure }, 'could not complete a refusal');
  }
  const headers = { ...commonHeaders(call, codec, gw.clock.now()), ...errorHeaders(shown) };
  const remedy =
    serving.publicUrl === undefined ? undefined : remedyPath(shown.code, call.metadata.key?.id, shown.options.ruleOf);
  const remedyUrl = remedy && serving.publicUrl + remedy;
  const body = codec.encodeError(shown, { requestId: call.id, language: call.language, remedyUrl });
  return { shown, headers, body };
}

function publicError(error: unknown): GatewayError {
  // Neither Redis nor the ledger could say what this caller has left, so the request is refused rather than guessed at.
  if (error instanceof AdmissionUnavailable)
    return new GatewayError('overloaded', { retryAfterMs: 1_000, cause: error });
  return asGatewayError(error);
}
