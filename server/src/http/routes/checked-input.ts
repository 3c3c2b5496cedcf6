/** What a handler gets of a request: the address and the body, validated by the published schemas of its route. */
import type { IncomingMessage } from 'node:http';
import type { BodyOf, ParamsOf, QueryOf, RouteDescription } from '@dargah/api/describe-route.ts';
import type { FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { refuseBrokenBody } from '../../core/broken-text.ts';
import { type Call, readJsonBody } from '../../gateway/index.ts';
import { isForm } from '../receive-document.ts';
import { compileCheck } from './check-schema.ts';
import type { HandlerResult } from './handler-result.ts';

interface CheckedAddress<D extends RouteDescription> {
  params: ParamsOf<D>;
  query: QueryOf<D>;
}

export interface CheckedInput<D extends RouteDescription> extends CheckedAddress<D> {
  body: BodyOf<D>;
}

/** `Caller`: what the guard found out before anything of the request was read. */
export type InputHandler<D extends RouteDescription, Caller> = D extends unknown
  ? (input: CheckedInput<D> & Caller) => Promise<HandlerResult<D>>
  : never;

/**
 * Set where a multipart form may come instead of the body; it is still on the wire, and what is left unread is
 * discarded.
 */
export type FormHandler<D extends RouteDescription, Caller> = (
  input: CheckedAddress<D> & Caller,
  form: IncomingMessage,
) => Promise<HandlerResult<D>>;

/** The result runs the handler that the request is for, or throws what its caller did wrong. */
export function withCheckedInput<D extends RouteDescription, Caller>(
  { access, query: querySchema, body: bodySchema }: D,
  run: InputHandler<D, Caller>,
  runForm: FormHandler<D, Caller> | undefined,
): (request: FastifyRequest, call: Call, caller: Caller) => Promise<unknown> {
  const checkQuery = querySchema && compileCheck(querySchema, 'query');
  const checkBody = bodySchema && compileCheck(bodySchema, 'body');
  return async (request, call, caller) => {
    const query = readQuery(request.query as Record<string, unknown>, querySchema);
    // This parameter named the account for the guard; the route does not see it.
    if (access.guard === 'console') delete query['account'];
    checkQuery?.(query);
    const address = { params: request.params as ParamsOf<D>, query: query as QueryOf<D>, ...caller };
    if (runForm && isForm(call.contentType)) return runForm(address, request.raw);
    const body = checkBody && readJsonBody(call);
    if (body !== undefined) refuseBrokenBody(call.body, body);
    checkBody?.(body);
    return run({ ...address, body: body as BodyOf<D> });
  };
}

/** Query strings are text; the schema says which of them mean numbers and switches. */
export function readQuery(input: Record<string, unknown>, schema: TObject | undefined): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) query[name] = readValue(value, typeOf(schema, name));
  return query;
}

function typeOf(schema: TObject | undefined, name: string): unknown {
  return (schema?.properties[name] as { type?: unknown } | undefined)?.type;
}

function readValue(value: unknown, type: unknown): unknown {
  if (typeof value !== 'string') return value;
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d+)?$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
