/** The operator API, called on a running server or on a service that is wired for this one command. */
import type { FastifyInstance } from 'fastify';
import { systemClock } from '../core/clock.ts';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../core/json.ts';
import { createTransport, type UpstreamCall } from '../platform/upstream/index.ts';

export interface AdminClient {
  /** Throws Refused when the answer is an error. */
  call(method: CallMethod, path: string, body?: object): Promise<JsonObject>;
  close(): Promise<void>;
}

export type CallMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export class Refused extends Error {
  readonly status: number;
  readonly body: Json | undefined;

  constructor(status: number, body: Json | undefined) {
    const error = isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : undefined;
    super(typeof error?.['message'] === 'string' ? error['message'] : `the server answered ${status}`);
    this.status = status;
    this.body = body;
  }
}

const DEADLINE_MS = 60_000;
/** The largest answer that is read; an export of everything fits. */
const MAX_BYTES = 1 << 30;

/** Returns true when the server at this address is healthy; throws TransportError when nobody answers. */
export async function isWell(address: string, limitMs: number): Promise<boolean> {
  const transport = createTransport({ clock: systemClock });
  try {
    const reply = await transport.send(callTo(`${address}/healthz`, limitMs));
    return reply.status === 200;
  } finally {
    await transport.close();
  }
}

function callTo(url: string, limitMs: number): UpstreamCall {
  return { pool: 'server', url, method: 'GET', headers: {}, connectMs: limitMs, headersMs: limitMs, idleMs: limitMs };
}

function headersFor(token: string, body: object | undefined): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'accept-language': 'en',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
}

/** `tokens` are tried in order: the next one is sent when the server refuses the one before. */
export function overHttp(address: string, tokens: readonly string[]): AdminClient {
  const transport = createTransport({ clock: systemClock });
  let [token = '', ...others] = tokens;
  const send = (method: CallMethod, path: string, body: object | undefined) =>
    transport.send({
      ...callTo(`${address}/api/admin${path}`, DEADLINE_MS),
      method,
      headers: headersFor(token, body),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    async call(method, path, body) {
      let reply = await send(method, path, body);
      while (reply.status === 401) {
        const [next, ...rest] = others;
        if (next === undefined) break;
        await reply.text(MAX_BYTES);
        [token, others] = [next, rest];
        reply = await send(method, path, body);
      }
      return understood(reply.status, await reply.text(MAX_BYTES));
    },
    close: () => transport.close(),
  };
}

export function inProcess(app: FastifyInstance, token: string, close: () => Promise<void>): AdminClient {
  return {
    async call(method, path, body) {
      const reply = await app.inject({
        method,
        url: `/api/admin${path}`,
        headers: headersFor(token, body),
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
      return understood(reply.statusCode, reply.payload);
    },
    close,
  };
}

function understood(status: number, text: string): JsonObject {
  const body = parseTrustedJson(text);
  if (status >= 400 || !isJsonObject(body)) throw new Refused(status, body);
  return body;
}
