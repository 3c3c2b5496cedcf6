/** The described routes of the console, read from their folder: one that is added is walked without a line in any test. */
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { RouteDescription } from '@dargah/api/describe-route.ts';

export async function describedRoutes(folder: 'console' | 'admin' | 'public'): Promise<RouteDescription[]> {
  const path = fileURLToPath(new URL(`../../../packages/api/src/${folder}/`, import.meta.url));
  const files = (await readdir(path)).sort();
  const modules = await Promise.all(files.map((file) => import(path + file) as Promise<Record<string, unknown>>));
  return modules.flatMap((one) => Object.values(one)).filter(isRoute);
}

function isRoute(value: unknown): value is RouteDescription {
  return typeof value === 'object' && value !== null && 'operationId' in value && 'access' in value;
}

/** The address with every parameter replaced. */
export function addressOf({ path }: RouteDescription, id: string): string {
  return path.replace(/:\w+/g, id);
}

/** The same with the query that it cannot do without. */
export function wholeAddressOf(route: RouteDescription, id: string): string {
  const { query } = route as RouteDescription & { query?: { required?: string[] } };
  const needed = (query?.required ?? []).map((name) => `${name}=nothing`);
  return addressOf(route, id) + (needed.length === 0 ? '' : `?${needed.join('&')}`);
}

export function labelOf({ method, path }: RouteDescription): string {
  return `${method} ${path}`;
}
