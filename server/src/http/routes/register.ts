/**
 * Registers the routes of people and operators; those of API keys are registered in key-routes.ts. The guard of a
 * description is called before anything of the request is read. Under the guarded addresses a route without a
 * description stops the start.
 */
import type { IncomingMessage } from 'node:http';
import { type GuardedAccess, STAFF_READ } from '@dargah/api/access.ts';
import type { Method, RouteDescription } from '@dargah/api/describe-route.ts';
import type { CalledEndpoint } from '@dargah/core/endpoints.ts';
import type { Language } from '@dargah/core/text.ts';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { Call } from '../../gateway/index.ts';
import { maskContactsIn } from '../../people/index.ts';
import { isUnreachable } from '../../platform/db/index.ts';
import { JSON_MEMORY_FACTOR, noMemory } from '../../platform/memory-budget.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { claimBodyMemory } from '../body-memory.ts';
import { callOf } from '../incoming.ts';
import { commonHeaders, sendAnswer, sendBody } from '../outgoing.ts';
import { throwAwayRest } from '../receive-form.ts';
import { explainError, type Serving } from '../serve.ts';
import { type CheckedInput, type FormHandler, type InputHandler, withCheckedInput } from './checked-input.ts';
import type { GuardRequest, Guards, PrincipalOf } from './guards.ts';
import { AnswerWithHeaders, RawAnswer } from './handler-result.ts';

/** Sent by pages that nobody has touched for a while with their own polls. */
const UNATTENDED = 'x-svc-unattended';

/** Under these addresses every route must say who may call it. */
const GUARDED = ['/api/admin', '/api/console', '/api/v1'];
const BY_REGISTRAR = Symbol('registered with its access');
/** What a registration marks its routes with. */
export const REGISTERED = { [BY_REGISTRAR]: true } as FastifyContextConfig;

/** API keys have a registration of their own. */
export type GuardedDescription = RouteDescription & { readonly access: GuardedAccess };

/** What the guard and the connection tell a handler. */
interface GuardedCaller<D extends GuardedDescription> {
  who: PrincipalOf[D['access']['guard']];
  /** For the audit log: `who.actor`. */
  actor: string;
  language: Language;
  /** `https://host` as the caller wrote it. */
  origin: string;
  call: Call;
  visit: GuardRequest;
  /** Calls the guard again, for answers that stay open: throws where the caller may no longer pass. */
  enterAgain(): Promise<PrincipalOf[D['access']['guard']]>;
}

export type RouteInput<D extends GuardedDescription> = CheckedInput<D> & GuardedCaller<D>;

/** The result of a handler becomes the JSON answer; errors are thrown as GatewayError. */
export type Register = <D extends GuardedDescription>(
  description: D,
  handler: InputHandler<D, GuardedCaller<D>>,
  form?: FormHandler<D, GuardedCaller<D>>,
) => void;

export interface Routes {
  register: Register;
  /** Everything registered so far, for the OpenAPI document and for tests. */
  described: RouteDescription[];
}

export interface RoutesOptions {
  app: FastifyInstance;
  serving: Serving;
  /** The protocol of the error body. */
  codec: ClientCodec;
  guards: Guards;
  /** Whether the caller's browser shows https. */
  isSecure(request: IncomingMessage): boolean;
}

export function createRoutes(options: RoutesOptions): Routes {
  const { app } = options;
  const described: RouteDescription[] = [];
  app.addHook('onRoute', ({ url, config }) => {
    if (GUARDED.some((prefix) => url.startsWith(prefix)) && !(config && BY_REGISTRAR in config))
      throw new Error(`${url} must be registered with a description: it would be open to everybody`);
  });
  const config = REGISTERED;
  // Unknown addresses are behind the staff guard too, so that only staff learn which addresses exist.
  const nothing = { access: STAFF_READ, takesForm: false, streams: false };
  const unknown = new GuardedRoute(options, nothing, async () => {
    throw new GatewayError('not_found');
  });
  app.all('/api/admin/*', { config: { ...config, ...unknown.config } }, unknown.handler);
  const register: Register = (description, run, form) => {
    const { method, path: url, access } = description;
    if (!access?.guard) throw new Error(`${method} ${url} does not say who may call it`);
    described.push(description);
    const kind = { access, takesForm: form !== undefined, streams: description.streams === true };
    const route = new GuardedRoute(options, kind, answering(description, run, form));
    const served = { method, url, config: { ...config, ...route.config }, handler: route.handler };
    if (!form) app.route(served);
    // A framework context of its own: a form is left on the wire until the guard has passed.
    else
      app.register(async (scope) => {
        scope.addContentTypeParser(/^multipart\//, (_request, _payload, done) => done(null));
        scope.route(served);
      });
  };
  return { register, described };
}

type Work = (
  visit: GuardRequest,
  request: FastifyRequest,
  who: PrincipalOf[GuardedAccess['guard']],
  enterAgain: () => Promise<PrincipalOf[GuardedAccess['guard']]>,
) => Promise<{ status: number; value: unknown }>;

function answering<D extends GuardedDescription>(
  description: D,
  run: InputHandler<D, GuardedCaller<D>>,
  runForm: FormHandler<D, GuardedCaller<D>> | undefined,
): Work {
  const { status = 200 } = description;
  const runChecked = withCheckedInput(description, run, runForm);
  return async (visit, request, who, enterAgain) => {
    const { call } = visit;
    const caller = {
      who: who as PrincipalOf[D['access']['guard']],
      actor: who.actor,
      language: call.language,
      origin: `${request.protocol}://${request.host}`,
      call,
      visit,
      enterAgain: enterAgain as () => Promise<PrincipalOf[D['access']['guard']]>,
    };
    return { status, value: await runChecked(request, call, caller) };
  };
}

/** Calls of operators and customers' people are counted by their area, not as calls of a model endpoint. */
function countedAs(access: GuardedAccess): CalledEndpoint {
  return access.guard === 'person' ? 'console' : access.guard;
}

interface Kind {
  access: GuardedAccess;
  takesForm: boolean;
  streams: boolean;
}

interface Entered {
  visit: GuardRequest;
  who: PrincipalOf[GuardedAccess['guard']];
}

/** One route behind its guard. The guard is called once: before a large body is read, or by the handler. */
class GuardedRoute {
  readonly #options: RoutesOptions;
  readonly #kind: Kind;
  readonly #work: Work;
  readonly #early = new WeakMap<FastifyRequest, Entered>();

  constructor(options: RoutesOptions, kind: Kind, work: Work) {
    this.#options = options;
    this.#kind = kind;
    this.#work = work;
  }

  get config() {
    const { access, takesForm } = this.#kind;
    return {
      ...(access.guard !== 'open' && { knowCaller: this.#knowCaller }),
      ...(takesForm && { onWire: 'forms' as const }),
    };
  }

  readonly #knowCaller = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const visit = this.#visit(request, reply);
    const who = await this.#enter(visit);
    this.#early.set(request, { visit, who });
    return 'accountId' in who ? who.accountId : who.actor;
  };

  readonly handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { serving, codec } = this.#options;
    const { raw } = reply;
    reply.hijack();
    const memory = claimBodyMemory(request);
    const early = this.#early.get(request);
    const visit = early?.visit ?? this.#visit(request, reply);
    const { call } = visit;
    call.metadata.memory = memory;
    if (request.body instanceof Uint8Array) call.body = request.body;
    const smallBody = memory === undefined ? call.body.length * JSON_MEMORY_FACTOR : 0;
    let counted = false;
    try {
      counted = serving.gw.memory.addSmall(smallBody);
      if (!counted) throw noMemory();
      const who = early?.who ?? (await this.#enter(visit));
      await this.#answer(request, reply, visit, who);
    } catch (error) {
      await explainError(serving, raw, call, codec, sayable(error));
    } finally {
      if (counted) serving.gw.memory.removeSmall(smallBody);
      call.metadata.memory?.release();
      throwAwayRest(request.raw);
    }
  };

  async #answer(
    request: FastifyRequest,
    { raw }: FastifyReply,
    visit: GuardRequest,
    who: Entered['who'],
  ): Promise<void> {
    const { serving, codec } = this.#options;
    const { status, value } = await this.#work(visit, request, who, () => this.#enter({ ...visit, isUse: false }));
    const common = commonHeaders(visit.call, codec, serving.gw.clock.now());
    const headers = { ...common, 'cache-control': 'no-store', ...visit.answerHeaders };
    if (value instanceof RawAnswer) {
      await sendAnswer(raw, value.answer, headers, serving.gw.settings.readerIdleMs);
      return;
    }
    const own = value instanceof AnswerWithHeaders ? value : new AnswerWithHeaders(value, {});
    const text = JSON.stringify(own.value, seesContacts(who) ? undefined : hiddenContacts);
    sendBody(raw, own.status ?? status, { ...headers, ...own.headers }, 'application/json; charset=utf-8', text);
  }

  #visit(request: FastifyRequest, { raw }: FastifyReply): GuardRequest {
    const { serving, isSecure } = this.#options;
    const { access } = this.#kind;
    const arrival = { incoming: request.raw, outgoing: raw, endpoint: countedAs(access), body: request.body };
    const call = callOf(arrival, serving.addressOf, serving.gw);
    return visitOf(call, request, isSecure(request.raw), this.#kind);
  }

  #enter(visit: GuardRequest): Promise<Entered['who']> {
    return enter(this.#options.guards, this.#kind.access, visit);
  }
}

/** Viewers among staff need no contacts: numbers and addresses of people are masked everywhere in an answer. */
function seesContacts(who: PrincipalOf[GuardedAccess['guard']]): boolean {
  return !('role' in who && 'isStaff' in who && who.role === 'viewer');
}

function hiddenContacts(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? maskContactsIn(value) : value;
}

function enter(
  guards: Guards,
  access: GuardedAccess,
  visit: GuardRequest,
): Promise<PrincipalOf[GuardedAccess['guard']]> {
  switch (access.guard) {
    case 'open':
      return guards.open(visit, access);
    case 'person':
      return guards.person(visit, access);
    case 'console':
      return guards.console(visit, access);
    case 'operator':
      return guards.operator(visit, access);
  }
}

function visitOf(call: Call, request: FastifyRequest, isSecure: boolean, { takesForm, streams }: Kind): GuardRequest {
  const { headers } = request;
  const query = request.query as Record<string, unknown>;
  return {
    call,
    method: request.method as Method,
    headers,
    account: textOrNothing(headers['x-svc-account'] ?? query['account']),
    ofAccount: textOrNothing(query['account_id']),
    isUse: !streams && headers[UNATTENDED] === undefined,
    isSecure,
    takesForm,
    answerHeaders: {},
  };
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A database that is away is not the caller's fault and soon back. */
function sayable(error: unknown): unknown {
  const lost =
    !(error instanceof GatewayError) && error instanceof Error && isDriverError(error) && isUnreachable(error);
  return lost ? new GatewayError('overloaded', { retryAfterMs: 2_000, cause: error }) : error;
}

function isDriverError(error: Error): boolean {
  return 'code' in error || /connection|timeout/i.test(error.message);
}
