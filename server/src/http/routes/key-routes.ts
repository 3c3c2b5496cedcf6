/**
 * Registers the routes that stand behind an API key; those of people and operators are registered in register.ts. Endpoints that
 * cost nothing are admitted here and get their query and body checked. Model endpoints admit and decode in the gateway, with the
 * codec of their protocol as the one validator of their body, and stand on the fast path too.
 */
import type { IncomingMessage } from 'node:http';
import type { RouteDescription } from '@dargah/api/describe-route.ts';
import type { Endpoint } from '@dargah/core/endpoints.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Answer, jsonAnswer } from '../../core/answer.ts';
import { admitFree, type Call } from '../../gateway/index.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import type { ModelFastPath } from '../model-fast-path.ts';
import { throwAwayRest } from '../receive-form.ts';
import { notFoundAt } from '../right-address.ts';
import { type Serving, serve } from '../serve.ts';
import { type FormHandler, type InputHandler, withCheckedInput } from './checked-input.ts';
import { AnswerWithHeaders, RawAnswer } from './handler-result.ts';
import { REGISTERED } from './register.ts';

export type KeyDescription = RouteDescription & { readonly access: { guard: 'key'; endpoint: Endpoint } };

export type KeyHandler = ReturnType<typeof serve>;

export interface KeyCaller {
  key: KeySnapshot;
  call: Call;
  request: FastifyRequest;
}

export interface FreeOptions<D extends KeyDescription> {
  /** Takes a multipart body, which is left on the wire for it. */
  form?: FormHandler<D, KeyCaller>;
  /** The protocol of the error body; that of the OpenAI SDK by default. */
  codec?: ClientCodec;
  /** Answers callers of another protocol at the same address. */
  instead?(request: FastifyRequest): KeyHandler | undefined;
}

interface AddressedWork {
  description: KeyDescription;
  work(call: Call): Promise<Answer>;
}

export interface KeyRoutesOptions {
  app: FastifyInstance;
  fastPath: ModelFastPath;
  serving: Serving;
  /** The protocol of the error body, where it is not the caller's choice. */
  codec: ClientCodec;
  described: RouteDescription[];
}

export class KeyRoutes {
  readonly #options: KeyRoutesOptions;

  constructor(options: KeyRoutesOptions) {
    this.#options = options;
  }

  /** Registers an endpoint that costs nothing. The result becomes the JSON answer with the described status, unless it is a RawAnswer. */
  free<D extends KeyDescription>(
    description: D,
    run: InputHandler<D, KeyCaller>,
    { form, codec, instead }: FreeOptions<D> = {},
  ): void {
    const own = this.handlerOf(description, run, { codec, form });
    const handler: KeyHandler = instead ? (request, reply) => (instead(request) ?? own)(request, reply) : own;
    this.#serve(description, handler, form && /^multipart\//);
  }

  /** The handler that `free` registers, for an address that another endpoint shares. */
  handlerOf<D extends KeyDescription>(
    description: D,
    run: InputHandler<D, KeyCaller>,
    { codec, form }: { codec?: ClientCodec | undefined; form?: FormHandler<D, KeyCaller> | undefined } = {},
  ): KeyHandler {
    const { serving, codec: usual } = this.#options;
    const work = freeWork(description, run, form, serving);
    return serve(serving, description.access.endpoint, codec ?? usual, work);
  }

  /** Registers an address that refuses every call, without authenticating it. */
  refusing(description: KeyDescription, codec: ClientCodec, refuse: (request: FastifyRequest) => never): void {
    const { serving } = this.#options;
    const handler = serve(serving, description.access.endpoint, codec, async (_call, request) => refuse(request));
    this.#serve(description, handler, undefined);
  }

  /** A model endpoint whose body is read whole, on the fast path and on the ordinary way. */
  model(description: KeyDescription, codec: ClientCodec, work: (call: Call) => Promise<Answer>): void {
    this.#options.described.push(description);
    this.#options.fastPath.post(description.path, description.access.endpoint, codec, work);
  }

  /** Model endpoints whose address names the model and what is asked of it: all of them stand behind the same wildcards. */
  addressed(
    descriptions: readonly KeyDescription[],
    urls: readonly string[],
    codec: ClientCodec,
    find: (request: FastifyRequest) => AddressedWork | undefined,
  ): void {
    const { app, serving, described } = this.#options;
    described.push(...descriptions);
    for (const url of urls) {
      app.post(url, { config: REGISTERED }, (request, reply) => {
        const found = find(request);
        if (!found) throw notFoundAt(request.url);
        return serve(serving, found.description.access.endpoint, codec, found.work)(request, reply);
      });
    }
  }

  /** A model endpoint whose body stays on the wire until the caller is known. */
  upload(
    description: KeyDescription,
    codec: ClientCodec,
    work: (call: Call, form: IncomingMessage) => Promise<Answer>,
  ): void {
    const { serving } = this.#options;
    const handler = serve(serving, description.access.endpoint, codec, async (call, { raw }) => {
      try {
        return await work(call, raw);
      } finally {
        throwAwayRest(raw);
      }
    });
    this.#serve(description, handler, '*');
  }

  /** `onWire` names content types of bodies that are left on the wire for the handler. */
  #serve(description: KeyDescription, handler: KeyHandler, onWire: string | RegExp | undefined): void {
    const { app, described } = this.#options;
    const { method, path, servedAt: url = path } = description;
    described.push(description);
    if (onWire === undefined) {
      app.route({ method, url, config: REGISTERED, handler });
      return;
    }
    const config = { ...REGISTERED, onWire: onWire === '*' ? ('all' as const) : ('forms' as const) };
    const route = { method, url, config, handler };
    // It gets a framework context of its own, because everywhere else bodies are read whole.
    app.register(async (scope) => {
      if (onWire === '*') scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(onWire, (_request, _payload, done) => done(null));
      scope.route(route);
    });
  }
}

function freeWork<D extends KeyDescription>(
  description: D,
  run: InputHandler<D, KeyCaller>,
  runForm: FormHandler<D, KeyCaller> | undefined,
  { gw }: Serving,
) {
  const { status = 200 } = description;
  const runChecked = withCheckedInput(description, run, runForm);
  return async (call: Call, request: FastifyRequest): Promise<Answer> => {
    try {
      const key = await admitFree(call, gw);
      return answerOf(await runChecked(request, call, { key, call, request }), status);
    } finally {
      if (runForm) throwAwayRest(request.raw);
    }
  };
}

/** Answers to a key's owner must not be cached on the way. */
function answerOf(value: unknown, status: number): Answer {
  const headers = { 'cache-control': 'no-store' };
  if (value instanceof RawAnswer) return { ...value.answer, headers: { ...headers, ...value.answer.headers } };
  if (!(value instanceof AnswerWithHeaders)) return { ...jsonAnswer(value, status), headers };
  return { ...jsonAnswer(value.value, value.status ?? status), headers: { ...headers, ...value.headers } };
}
