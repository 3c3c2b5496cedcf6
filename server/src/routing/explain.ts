/** The plan in words, for receipts: what a reader needs to understand why a request went where it went. */
import type { Model } from '../catalog/index.ts';
import type { RoutingPreferences } from '../core/chat.ts';
import { unitPrice } from '../core/price.ts';
import type { Candidate } from './candidate.ts';
import type { Target } from './target.ts';

/** The caller's preference that rules a target out, or undefined. */
export function whyNot(model: Model, target: Target, preferences: RoutingPreferences | undefined): string | undefined {
  if (!preferences) return undefined;
  const { only, ignore, maxPrice } = preferences;
  if (only && only.length > 0 && !isNamed(target, only)) return 'not in svc.routing.only';
  if (ignore && isNamed(target, ignore)) return 'in svc.routing.ignore';
  // The caller pays the model's price whatever the route costs us, so that is the price they can bound.
  if (maxPrice?.input !== undefined && Number(unitPrice(model.price, 'inputFresh')) > maxPrice.input) {
    return 'input price above svc.routing.max_price';
  }
  if (maxPrice?.output !== undefined && Number(unitPrice(model.price, 'output')) > maxPrice.output) {
    return 'output price above svc.routing.max_price';
  }
  return undefined;
}

/** A name in a preference may be a provider, a vendor or a route. */
function isNamed({ route }: Target, names: string[]): boolean {
  return names.includes(route.provider.id) || names.includes(route.provider.vendor) || names.includes(route.id);
}

export function explainCandidate({ target, facts, modelRank, sticky }: Candidate, index: number): string {
  let line = `${index + 1}. ${target.summary}, ${facts.inFlight} running`;
  if (facts.p50Ms !== undefined) line += `, first event ${Math.round(facts.p50Ms)} ms`;
  if (sticky) line += ', holds the prompt cache';
  if (modelRank > 0) line += `, fallback model ${target.model.id}`;
  if (facts.saturated) line += ', provider full';
  if (facts.state === 'half-open') line += ', probe after failures';
  if (facts.state === 'probing') line += ', being probed by another request';
  if (facts.state === 'open') {
    line += `, circuit open for ${Math.ceil(facts.opensInMs / 1000)} s${facts.cause ? ` (${facts.cause})` : ''}`;
  }
  return line;
}
