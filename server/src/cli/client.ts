/** The operator API, spoken to a running server or to a service wired for this one command. */
import type { FastifyInstance } from 'fastify';
import { request } from 'undici';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../core/json.ts';

export interface AdminClient {
  /** Throws Refused when the answer is an error. */
  call(method: Method, path: string, body?: object): Promise<JsonObject>;
  close(): Promise<void>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

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

function headersFor(token: string, body: object | undefined): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'x-svc-actor': 'cli',
    'accept-language': 'en',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
}

export function overHttp(address: string, token: string): AdminClient {
  return {
    async call(method, path, body) {
      const reply = await request(`${address}/api/admin${path}`, {
        method,
        headers: headersFor(token, body),
        headersTimeout: DEADLINE_MS,
        bodyTimeout: DEADLINE_MS,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return understood(reply.statusCode, await reply.body.text());
    },
    close: async () => undefined,
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
