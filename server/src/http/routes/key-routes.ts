/**
 * Registers the routes that stand behind an API key; those of people and operators are registered in register.ts. Endpoints that
 * cost nothing are admitted here and get their query and body checked. Model endpoints admit and decode in the gateway, with the
 * codec of their protocol as the one validator of their body, and stand on the fast path too.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Answer, jsonAnswer } from '../../core/answer.ts';
import type { Endpoint } from '../../core/endpoints.ts';
import { admitFree, type Call } from '../../gateway/index.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { ClientCodec } from '../../protocols/index.ts';
import type { ModelFastPath } from '../model-fast-path.ts';
import { throwAwayRest } from '../receive-form.ts';
import { type Serving, serve } from '../serve.ts';
import { type FormHandler, type InputHandler, withCheckedInput } from './checked-input.ts';
import type { RouteDescription } from './describe-route.ts';
import { RawAnswer, REGISTERED } from './register.ts';

export type KeyDescription = RouteDescription & { readonly access: { guard: 'key'; endpoint: Endpoint } };

interface KeyCaller {
  key: KeySnapshot;
  call: Call;
  request: FastifyRequest;
}

export interface FreeOptions<D extends KeyDescription> {
  /** Takes a multipart body, which is left on the wire for it. */
  form?: FormHandler<D, KeyCaller>;
  /** Whose error shape is used; that of the OpenAI SDK unless told. */
  codec?: ClientCodec;
}

export interface KeyRoutesOptions {
  app: FastifyInstance;
  fastPath: ModelFastPath;
  serving: Serving;
  /** Whose error shape is used where the protocol is not the caller's choice. */
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
    { form, codec }: FreeOptions<D> = {},
  ): void {
    const { serving, codec: usual } = this.#options;
    const work = freeWork(description, run, form, serving);
    this.#serve(description, serve(serving, description.access.endpoint, codec ?? usual, work), form && /^multipart\//);
  }

  /** Registers an address that refuses every call, without asking who calls. */
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

  /** `onWire`: the types of bodies that nobody reads before the handler does. */
  #serve(description: KeyDescription, handler: ReturnType<typeof serve>, onWire: string | RegExp | undefined): void {
    const { app, described } = this.#options;
    const { method, path, servedAt: url = path } = description;
    described.push(description);
    if (onWire === undefined) {
      app.route({ method, url, config: REGISTERED, handler });
      return;
    }
    const config = { ...REGISTERED, onWire: onWire === '*' ? ('all' as const) : ('forms' as const) };
    const route = { method, url, config, handler };
    // A context of its own: everywhere else bodies are read whole.
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

/** What belongs to a key's owner is stored nowhere on its way. */
function answerOf(value: unknown, status: number): Answer {
  const answer = value instanceof RawAnswer ? value.answer : jsonAnswer(value, status);
  return { ...answer, headers: { 'cache-control': 'no-store', ...answer.headers } };
}
