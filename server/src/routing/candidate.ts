/** A target that a plan may use, with its live state, and the check of the caller's preferences about it. */
import { type DataDemand, NOTHING_STATED, unmetData } from '@dargah/core/data-policy.ts';
import type { ProbeId } from '@dargah/core/probes.ts';
import type { Model, Route } from '../catalog/index.ts';
import type { RoutingPreferences } from '../core/chat.ts';
import { unitPrice } from '../core/price.ts';
import type { TargetFacts } from './health.ts';
import type { Target } from './target.ts';

export interface Candidate {
  target: Target;
  facts: TargetFacts;
  /** The index of its model in the caller's list. */
  modelRank: number;
  sticky: boolean;
}

/** What a request needs of a route, as the probes that prove it. */
export interface RequestNeeds {
  /** Probes without which the answer would be wrong. */
  always: readonly ProbeId[];
  /** Probes that are preferred: routes that fail them are skipped while there are others. */
  ifOffered: readonly ProbeId[];
}

/** The first of `needs` that the route fails. */
export function lackOf({ conformance }: Route, needs: readonly ProbeId[]): ProbeId | undefined {
  return conformance && needs.find((probe) => conformance.failed.has(probe));
}

export function hasFlaws({ target }: Candidate): boolean {
  const { conformance } = target.route;
  return conformance !== undefined && conformance.failed.size > 0;
}

/** The caller's preference that excludes a target, or undefined. */
export function whyNot(model: Model, target: Target, preferences: RoutingPreferences | undefined): string | undefined {
  if (!preferences) return undefined;
  const { only, ignore, maxPrice } = preferences;
  if (only && only.length > 0 && rankAmong(only, target) === only.length) return 'not in svc.routing.only';
  if (ignore && rankAmong(ignore, target) < ignore.length) return 'in svc.routing.ignore';
  // The caller pays the model's price whatever the route costs us, so `max_price` bounds the model's price.
  if (maxPrice?.input !== undefined && Number(unitPrice(model.price, 'inputFresh')) > maxPrice.input) {
    return 'input price above svc.routing.max_price';
  }
  if (maxPrice?.output !== undefined && Number(unitPrice(model.price, 'output')) > maxPrice.output) {
    return 'output price above svc.routing.max_price';
  }
  return undefined;
}

/** The part of the demanded data policy that the target's provider does not state. */
export function whyNotByData({ route }: Target, wanted: readonly DataDemand[]): string | undefined {
  for (const demand of wanted) {
    const unmet = unmetData(demand, route.provider.dataPolicy ?? NOTHING_STATED);
    if (unmet !== undefined) return `does not state the demanded data policy (${unmet})`;
  }
  return undefined;
}

/**
 * The index at which a list of preferences names the target, by its provider, vendor or route; the list's length where
 * it does not.
 */
export function rankAmong(names: readonly string[], { route }: Target): number {
  const { provider, id } = route;
  const at = names.findIndex((name) => name === provider.id || name === provider.vendor || name === id);
  return at < 0 ? names.length : at;
}
