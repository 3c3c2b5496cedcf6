/**
 * Registers the routes of people and operators; those of API keys are registered in key-routes.ts. The guard of a
 * description is called before anything of the request is read. Under the guarded addresses a route without a
 * description stops the start.
 */
import { type GuardedAccess, STAFF_READ } from '@dargah/api/access.ts';
import type { RouteDescription } from '@dargah/api/describe-route.ts';
import type { Language } from '@dargah/core/text.ts';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { Call } from '../../gateway/index.ts';
import { notFoundAt } from '../right-address.ts';
import { Area, serveArea } from './areas.ts';
import { type CheckedInput, type FormHandler, type InputHandler, withCheckedInput } from './checked-input.ts';
import { GuardedRoute, type GuardedRouteOptions, type RouteWork } from './guarded-route.ts';
import type { GuardRequest, PrincipalOf } from './guards.ts';

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
  /** Who acts, for the audit log: `who.actor`. */
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

export interface RoutesOptions extends GuardedRouteOptions {
  app: FastifyInstance;
}

export function createRoutes(options: RoutesOptions): Routes {
  const { app } = options;
  const described: RouteDescription[] = [];
  app.addHook('onRoute', ({ url, config }) => {
    if (GUARDED.some((prefix) => url.startsWith(prefix)) && !(config && BY_REGISTRAR in config))
      throw new Error(`${url} must be registered with a description: it would be open to everybody`);
  });
  const config = REGISTERED;
  const areas = [operatorArea(options), new Area('/api/console', { path: '/api/console/*', ...NOTHING })];
  for (const area of areas) serveArea(app, area, config);
  const register: Register = (description, run, form) => {
    const { method, path: url, access } = description;
    if (!access?.guard) throw new Error(`${method} ${url} does not say who may call it`);
    described.push(description);
    const kind = { access, takesForm: form !== undefined, streams: description.streams === true };
    const route = new GuardedRoute(options, kind, answering(description, run, form));
    const { handler } = route;
    const served = { method, url, config: { ...config, ...route.config }, handler };
    const area = areas.find(({ prefix }) => url.startsWith(`${prefix}/`));
    if (!form && area) area.add(method, { path: url, handler, ...route.config });
    else if (!form) app.route(served);
    // It gets a framework context of its own: a form is left on the wire until the guard has passed.
    else
      app.register(async (scope) => {
        scope.addContentTypeParser(/^multipart\//, (_request, _payload, done) => done(null));
        scope.route(served);
      });
  };
  return { register, described };
}

/** Answers everybody that the address is not there. */
const NOTHING = {
  handler: async ({ url }: FastifyRequest) => {
    throw notFoundAt(url);
  },
  knowCaller: async ({ url }: FastifyRequest) => {
    throw notFoundAt(url);
  },
};

/** Unknown addresses are behind the staff guard too, so that only staff learn which addresses exist. */
function operatorArea(options: GuardedRouteOptions): Area {
  const nothing = { access: STAFF_READ, takesForm: false, streams: false };
  const { handler, config } = new GuardedRoute(options, nothing, async () => {
    throw new GatewayError('not_found');
  });
  return new Area('/api/admin', { path: '/api/admin/*', handler, ...config });
}

function answering<D extends GuardedDescription>(
  description: D,
  run: InputHandler<D, GuardedCaller<D>>,
  runForm: FormHandler<D, GuardedCaller<D>> | undefined,
): RouteWork {
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
