/**
 * Which route an address leads to, for areas of hundreds of routes: the web framework takes half a millisecond to learn one, at
 * every start. Addresses are read as the framework reads them: decoded part by part, without their query and one last slash.
 */
import type { Method } from '@dargah/api/describe-route.ts';

/** Longer ones lead nowhere, here and in the web framework. */
export const MAX_PARAM_CHARS = 512;

export interface FoundRoute<Route> {
  route: Route;
  params: Record<string, string>;
}

interface Place<Route> {
  named: Map<string, Place<Route>>;
  /** Where any text may stand. */
  any: Place<Route> | undefined;
  routes: Map<string, { route: Route; names: string[] }>;
}

export class RouteTable<Route> {
  readonly #root: Place<Route> = newPlace();

  /** `path` is written as `/api/console/keys/:id`. A part is a name or a parameter, never a mixture. */
  add(method: Method, path: string, route: Route): void {
    const names: string[] = [];
    let place = this.#root;
    for (const part of path.split('/')) {
      if (!/^(:\w{1,50}|[^:*]{0,100})$/.test(part))
        throw new Error(`${path}: ${part} is neither a name nor a parameter`);
      const isParam = part.startsWith(':');
      if (isParam) names.push(part.slice(1));
      place = isParam ? anyIn(place) : namedIn(place, part);
    }
    if (place.routes.has(method)) throw new Error(`${method} ${path} is registered twice`);
    place.routes.set(method, { route, names });
  }

  /** `url` as it was sent; its decoding has been tried before. */
  find(method: string, url: string): FoundRoute<Route> | undefined {
    const parts = pathOf(url).split('/').map(decodeURIComponent);
    const values: string[] = [];
    const found = walk(this.#root, method, parts, 0, values);
    return (
      found && {
        route: found.route,
        params: Object.fromEntries(found.names.map((name, at) => [name, values[at] ?? ''])),
      }
    );
  }
}

/** A name wins over a parameter, where both lead to a route. */
function walk<Route>(
  place: Place<Route>,
  method: string,
  parts: readonly string[],
  at: number,
  values: string[],
): { route: Route; names: string[] } | undefined {
  const part = parts[at];
  if (part === undefined) return place.routes.get(method);
  const named = place.named.get(part);
  const found = named && walk(named, method, parts, at + 1, values);
  if (found || place.any === undefined || part.length > MAX_PARAM_CHARS) return found;
  values.push(part);
  const further = walk(place.any, method, parts, at + 1, values);
  if (further === undefined) values.pop();
  return further;
}

/** A request may name the whole address, with the host. */
function pathOf(url: string): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]{0,255}/i, '');
  const end = path.search(/[?#]/);
  const bare = end === -1 ? path : path.slice(0, end);
  return bare.endsWith('/') ? bare.slice(0, -1) : bare;
}

function newPlace<Route>(): Place<Route> {
  return { named: new Map(), any: undefined, routes: new Map() };
}

function namedIn<Route>(place: Place<Route>, name: string): Place<Route> {
  const known = place.named.get(name);
  if (known) return known;
  const made = newPlace<Route>();
  place.named.set(name, made);
  return made;
}

function anyIn<Route>(place: Place<Route>): Place<Route> {
  place.any ??= newPlace();
  return place.any;
}
