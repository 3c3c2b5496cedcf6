/**
 * The console's and the operator's routes: one address of the web framework for each area, and a table behind it. What the
 * framework's hooks ask of a route they ask `routeOf`.
 */
import type { Method } from '@dargah/api/describe-route.ts';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type FoundRoute, RouteTable } from './route-table.ts';

export interface AreaRoute {
  path: string;
  handler(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  knowCaller?: FastifyContextConfig['knowCaller'];
}

interface KnownRoute {
  path: string | undefined;
  knowCaller?: FastifyContextConfig['knowCaller'] | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    area?: Area;
  }
  interface FastifyRequest {
    areaRoute: AreaRoute | undefined;
  }
  interface FastifyInstance {
    areas: Area[];
  }
}

export class Area {
  readonly prefix: string;
  readonly #table = new RouteTable<AreaRoute>();
  /** Serves what is not in the table. */
  readonly #unknown: AreaRoute;

  constructor(prefix: string, unknown: AreaRoute) {
    this.prefix = prefix;
    this.#unknown = unknown;
  }

  add(method: Method, route: AreaRoute): void {
    this.#table.add(method, route.path, route);
  }

  find(method: string, url: string): FoundRoute<AreaRoute> {
    return this.#table.find(method, url) ?? { route: this.#unknown, params: {} };
  }

  has(method: string, url: string): boolean {
    return this.#table.find(method, url) !== undefined;
  }
}

/** This must run before all hooks that ask for the route or for its parameters. */
export function findRoutesOfAreas(app: FastifyInstance): void {
  app.decorate('areas', []);
  app.decorateRequest('areaRoute', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    const found = request.routeOptions.config.area?.find(request.method, request.url);
    if (found) {
      request.areaRoute = found.route;
      request.params = found.params;
    }
    done();
  });
}

/** `config` is what the framework is told of the area's address. */
export function serveArea(app: FastifyInstance, area: Area, config: FastifyContextConfig): void {
  app.areas.push(area);
  app.all(`${area.prefix}/*`, { config: { ...config, area } }, (request, reply) =>
    request.areaRoute?.handler(request, reply),
  );
}

/** What is known of the route that a request is for. */
export function routeOf({ areaRoute, routeOptions }: FastifyRequest): KnownRoute {
  return areaRoute ?? { path: routeOptions.url, knowCaller: routeOptions.config.knowCaller };
}
