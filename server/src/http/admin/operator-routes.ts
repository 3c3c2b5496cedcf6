/**
 * The one way to register an address under /api/admin. Whoever calls it must bear the operator's token: that is asked before
 * anything of the request is read, and an address registered any other way stops the server from starting.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import { GatewayError, type Language } from '../../core/errors.ts';
import { type Call, readJsonBody } from '../../gateway/index.ts';
import { isUnreachable } from '../../platform/db/index.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { callOf } from '../incoming.ts';
import type { EndpointDescription } from '../openapi/endpoint.ts';
import { compileGate } from '../openapi/gate.ts';
import { commonHeaders, sendBody } from '../outgoing.ts';
import { isForm } from '../receive-document.ts';
import { throwAwayRest } from '../receive-form.ts';
import { explain, type Serving } from '../serve.ts';
import { readQuery } from './read-query.ts';

const PREFIX = '/api/admin';
const BY_REGISTRAR = Symbol('registered with the operator check');

export interface OperatorInput<Query, Body> {
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** For the trail of changes. */
  actor: string;
  language: Language;
}

/** Without a `body` schema nothing is parsed. */
export interface OperatorRoute<Q extends TObject, B extends TSchema> extends EndpointDescription {
  query?: Q;
  body?: B;
  run(input: OperatorInput<Static<Q>, Static<B>>, call: Call): Promise<unknown>;
  /** Where a multipart form may come instead of the body; it is still on the wire, and what is left unread is thrown away. */
  runForm?(input: OperatorInput<Static<Q>, undefined>, form: IncomingMessage): Promise<unknown>;
}

/** Registers one address; the result becomes the JSON answer. Errors are thrown as GatewayError. */
export type RegisterOperatorRoute = <Q extends TObject = TObject, B extends TSchema = TSchema>(
  route: OperatorRoute<Q, B>,
) => void;

export interface OperatorRoutes {
  register: RegisterOperatorRoute;
  /** Everything registered so far, for the OpenAPI document. */
  described: EndpointDescription[];
}

export interface OperatorRoutesOptions {
  app: FastifyInstance;
  serving: Serving;
  /** Whose error shape is used. */
  style: ClientCodec;
  isOperator(token: string | undefined): boolean;
}

export function operatorRoutes(options: OperatorRoutesOptions): OperatorRoutes {
  const { app } = options;
  const described: EndpointDescription[] = [];
  app.addHook('onRoute', ({ url, config }) => {
    if (url.startsWith(PREFIX) && !(config && BY_REGISTRAR in config))
      throw new Error(`${url} must be registered through operatorRoutes: it would be open to everybody`);
  });
  const config = { [BY_REGISTRAR]: true };
  // Nobody but the operator learns which addresses exist.
  app.all(
    `${PREFIX}/*`,
    { config },
    handler(options, async () => {
      throw new GatewayError('not_found');
    }),
  );
  const register: RegisterOperatorRoute = (route) => {
    described.push(route);
    const { method, path: url } = route;
    const served = { method, url, config, handler: handler(options, answering(route)) };
    if (!route.runForm) app.route(served);
    // A context of its own: a form is left on the wire until the token was asked.
    else
      app.register(async (scope) => {
        scope.addContentTypeParser(/^multipart\//, (_request, _payload, done) => done(null));
        scope.route(served);
      });
  };
  return { register, described };
}

type Work = (call: Call, request: FastifyRequest) => Promise<{ status: number; value: unknown }>;

function answering<Q extends TObject, B extends TSchema>(route: OperatorRoute<Q, B>): Work {
  const { status = 200 } = route;
  const checkQuery = route.query && compileGate(route.query, 'query');
  const checkBody = route.body && compileGate(route.body, 'body');
  return async (call, request) => {
    const query = readQuery(request.query as Record<string, unknown>, route.query);
    checkQuery?.(query);
    const input = {
      params: request.params as Record<string, string>,
      query: query as Static<Q>,
      actor: actorOf(request.headers['x-svc-actor']),
      language: call.language,
    };
    if (route.runForm && isForm(call.contentType))
      return { status, value: await route.runForm({ ...input, body: undefined }, request.raw) };
    const body = checkBody && readJsonBody(call);
    checkBody?.(body);
    return { status, value: await route.run({ ...input, body: body as Static<B> }, call) };
  };
}

function handler({ serving, style, isOperator }: OperatorRoutesOptions, work: Work) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { raw } = reply;
    const arrival = { incoming: request.raw, outgoing: raw, endpoint: 'models' as const, body: request.body };
    const call = callOf(arrival, serving.addressOf, serving.gw);
    reply.hijack();
    try {
      if (!isOperator(call.keyText)) throw new GatewayError('unauthorized');
      const { status, value } = await work(call, request);
      const headers = { ...commonHeaders(call, style, serving.gw.clock.now()), 'cache-control': 'no-store' };
      sendBody(raw, status, headers, 'application/json; charset=utf-8', JSON.stringify(value));
    } catch (error) {
      await explain(serving, raw, call, style, sayable(error));
    } finally {
      throwAwayRest(request.raw);
    }
  };
}

/** A database that is away is no fault of the caller and soon over. */
function sayable(error: unknown): unknown {
  const lost =
    !(error instanceof GatewayError) && error instanceof Error && isDriverError(error) && isUnreachable(error);
  return lost ? new GatewayError('overloaded', { retryAfterMs: 2_000, cause: error }) : error;
}

function isDriverError(error: Error): boolean {
  return 'code' in error || /connection|timeout/i.test(error.message);
}

/** The operator may say who works under the token; it is a note for the trail, not a right. */
function actorOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\w.@-]{1,64}$/.test(header) ? `operator/${header}` : 'operator';
}
