/** What a handler gets of a request: the address and the body, checked by the schemas that are published for its route. */
import type { IncomingMessage } from 'node:http';
import type { BodyOf, ParamsOf, QueryOf, RouteDescription } from '@dargah/api/describe-route.ts';
import type { FastifyRequest } from 'fastify';
import { refuseBrokenBody } from '../../core/broken-text.ts';
import { type Call, readJsonBody } from '../../gateway/index.ts';
import { isForm } from '../receive-document.ts';
import { compileCheck } from './check-schema.ts';
import type { HandlerResult } from './handler-result.ts';
import { readQuery } from './read-query.ts';

interface CheckedAddress<D extends RouteDescription> {
  params: ParamsOf<D>;
  query: QueryOf<D>;
}

export interface CheckedInput<D extends RouteDescription> extends CheckedAddress<D> {
  body: BodyOf<D>;
}

/** `Caller`: what the way in found out before anything of the request was read. */
export type InputHandler<D extends RouteDescription, Caller> = D extends unknown
  ? (input: CheckedInput<D> & Caller) => Promise<HandlerResult<D>>
  : never;

/** Where a multipart form may come instead of the body; it is still on the wire, and what is left unread is thrown away. */
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
    // It named the account to the guard and is no business of the route.
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
