/**
 * Applies what routes proved (conformance/) to the catalog: a capability that all routes of a model fail is not
 * offered. Pure.
 */
import { CAPABILITY_OF_PROBE, PROBE_IDS, type ProbeId } from '@dargah/core/probes.ts';
import type { ProvedRow } from './catalog-rows.ts';
import type { Model, ProvedCapability, Route } from './model.ts';

export function groupProved(rows: readonly ProvedRow[]): Map<string, ProvedRow[]> {
  const grouped = new Map<string, ProvedRow[]>();
  for (const row of rows) {
    const list = grouped.get(row.model_id);
    if (list) list.push(row);
    else grouped.set(row.model_id, [row]);
  }
  return grouped;
}

/** Returns the model itself where none of it was probed. Results of routes that no longer exist do not count. */
export function withProof(model: Model, all: readonly ProvedRow[] | undefined): Model {
  const rows = all?.filter(({ route }) => model.routes.some(({ id }) => id === route)) ?? [];
  if (rows.length === 0) return model;
  const routes = model.routes.map((route) => provedRoute(route, rows));
  const failing = PROBE_IDS.filter((probe) => routes.every(({ conformance }) => conformance?.failed.has(probe)));
  const capabilities = new Set(model.capabilities);
  for (const probe of failing) {
    const capability = CAPABILITY_OF_PROBE[probe];
    if (capability !== undefined) capabilities.delete(capability);
  }
  const hasFlaws = routes.some(({ conformance }) => conformance !== undefined && conformance.failed.size > 0);
  return { ...model, routes, capabilities, proved: provedOf(rows), ...(hasFlaws && { hasFlaws: true as const }) };
}

function provedRoute(route: Route, rows: readonly ProvedRow[]): Route {
  const own = rows.filter((row) => row.route === route.id);
  if (own.length === 0) return route;
  const passed = new Set<ProbeId>();
  const failed = new Set<ProbeId>();
  for (const row of own) (row.passed ? passed : failed).add(row.probe);
  return { ...route, conformance: { passed, failed } };
}

/**
 * A customer is answered by any of the routes, and never by one that fails what is needed, so one route that passes is
 * enough.
 */
function provedOf(rows: readonly ProvedRow[]): ProvedCapability[] {
  return PROBE_IDS.flatMap((probe) => {
    const own = rows.filter((row) => row.probe === probe);
    if (own.length === 0) return [];
    const passed = own.some((row) => row.passed);
    const telling = own.filter((row) => row.passed === passed);
    return [{ probe, passed, atMs: Math.max(...telling.map((row) => row.asked_at.getTime())) }];
  });
}
