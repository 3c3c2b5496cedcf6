/** One route behind its guard, as the web server calls it. */
import type { IncomingMessage } from 'node:http';
import type { GuardedAccess } from '@dargah/api/access.ts';
import type { Method } from '@dargah/api/describe-route.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { Call } from '../../gateway/index.ts';
import type { CalledEndpoint } from '../../keys/index.ts';
import { maskContactsIn } from '../../people/index.ts';
import { isUnreachable } from '../../platform/db/index.ts';
import { JSON_MEMORY_FACTOR, noMemory } from '../../platform/memory-budget.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import { claimBodyMemory } from '../body-memory.ts';
import { callOf } from '../incoming.ts';
import { commonHeaders, sendAnswer, sendBody } from '../outgoing.ts';
import { throwAwayRest } from '../receive-form.ts';
import { explainError, type Serving } from '../serve.ts';
import type { GuardRequest, Guards, PrincipalOf } from './guards.ts';
import { AnswerWithHeaders, RawAnswer } from './handler-result.ts';

/** Pages that nobody has touched for a while send it with their own polls. */
const UNATTENDED = 'x-svc-unattended';

export interface GuardedRouteOptions {
  serving: Serving;
  /** The protocol of the error body. */
  codec: ClientCodec;
  guards: Guards;
  /** Whether the caller's browser shows https. */
  isSecure(request: IncomingMessage): boolean;
}

export type RouteWork = (
  visit: GuardRequest,
  request: FastifyRequest,
  who: PrincipalOf[GuardedAccess['guard']],
  enterAgain: () => Promise<PrincipalOf[GuardedAccess['guard']]>,
) => Promise<{ status: number; value: unknown }>;

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
export class GuardedRoute {
  readonly #options: GuardedRouteOptions;
  readonly #kind: Kind;
  readonly #work: RouteWork;
  readonly #early = new WeakMap<FastifyRequest, Entered>();

  constructor(options: GuardedRouteOptions, kind: Kind, work: RouteWork) {
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
