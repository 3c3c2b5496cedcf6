/**
 * Which targets to try, in which order, and why. Pure: live state and randomness are passed in, so that a plan can be
 * repeated and tested. The explanation goes onto the receipt.
 */
import type { DataDemand } from '@dargah/core/data-policy.ts';
import type { ProbeId } from '@dargah/core/probes.ts';
import type { Model } from '../catalog/index.ts';
import type { RoutingPreferences } from '../core/chat.ts';
import { type Candidate, hasFlaws, lackOf, type RequestNeeds, rankAmong, whyNot, whyNotByData } from './candidate.ts';
import type { TargetFacts } from './health.ts';
import type { Target } from './target.ts';

/** More attempts than this do not fit into any client's timeout. */
const MAX_TARGETS = 6;

export interface PlanInput {
  /** The requested model first, then fallback models in the caller's order. */
  models: readonly { model: Model; targets: readonly Target[] }[];
  facts: (target: Target) => TargetFacts;
  preferences: RoutingPreferences | undefined;
  /** What the request needs of a route; undefined where no route of its models fails anything. */
  needs?: RequestNeeds | undefined;
  /** What providers must state about data; undefined: nothing is demanded. */
  wanted?: readonly DataDemand[] | undefined;
  /** The target that holds this conversation's prompt cache. */
  sticky: string | undefined;
  /** Returns a number in [0, 1). */
  random: () => number;
}

export interface RoutePlan {
  targets: Target[];
  /** One line per candidate, tried or not. */
  explanation: string[];
  /** Probes that the request needs and every route fails; set only when no route is left. */
  lacking?: ProbeId;
}

export function planRoutes(input: PlanInput): RoutePlan {
  const refused: string[] = [];
  const agreed = candidatesOf(input, refused);
  const candidates = input.needs ? withoutLacking(agreed, input.needs, refused) : agreed;
  if (candidates.length === 0 && agreed.length > 0) return nothingProved(agreed, input.needs, refused);
  // A model with one route needs no ordering.
  const ordered = candidates.length > 1 ? order(candidates, input) : candidates;
  const chosen = withinBound(ordered);
  const explanation = chosen.map(explainCandidate);
  if (chosen.length < ordered.length) explanation.push(...beyondBound(ordered, chosen));
  if (refused.length > 0) explanation.push(...refused);
  return { targets: chosen.map(targetOf), explanation };
}

function targetOf({ target }: Candidate): Target {
  return target;
}

/** `refused` gets a line for each target that the caller's preferences exclude. */
function candidatesOf({ models, facts, preferences, wanted, sticky }: PlanInput, refused: string[]): Candidate[] {
  const candidates: Candidate[] = [];
  for (let modelRank = 0; modelRank < models.length; modelRank++) {
    const { model, targets } = models[modelRank] as PlanInput['models'][number];
    for (const target of targets) {
      const refusal = whyNot(model, target, preferences) ?? (wanted && whyNotByData(target, wanted));
      if (refusal) refused.push(`not tried: ${target.id}, ${refusal}`);
      else candidates.push({ target, facts: facts(target), modelRank, sticky: target.id === sticky });
    }
  }
  return candidates;
}

/**
 * Leaves out routes that fail what the request needs. Where all of them fail a probe that is only preferred, all are
 * tried.
 */
function withoutLacking(candidates: Candidate[], needs: RequestNeeds, refused: string[]): Candidate[] {
  return candidates.filter((candidate) => {
    const { route, id } = candidate.target;
    const lack = lackOf(route, needs.always) ?? lackOf(route, needs.ifOffered);
    if (lack === undefined) return true;
    const stays =
      lackOf(route, needs.always) === undefined &&
      candidates.every(({ target, modelRank }) => modelRank !== candidate.modelRank || lackOf(target.route, [lack]));
    if (!stays) refused.push(`not tried: ${id}, fails the probe ${lack}`);
    return stays;
  });
}

function nothingProved(agreed: Candidate[], needs: RequestNeeds | undefined, explanation: string[]): RoutePlan {
  const route = agreed[0]?.target.route;
  const lacking = route && needs && lackOf(route, needs.always);
  return { targets: [], explanation, ...(lacking && { lacking }) };
}

function beyondBound(ordered: Candidate[], chosen: Candidate[]): string[] {
  const left = ordered.filter((candidate) => !chosen.includes(candidate));
  return left.map(({ target }) => `not tried: ${target.id}, after the first ${MAX_TARGETS} targets`);
}

/**
 * Usable targets before unusable ones, whatever else is preferred: an open circuit is tried only when nothing else is
 * left.
 */
function order(candidates: Candidate[], input: PlanInput): Candidate[] {
  const usable = candidates.filter(isUsable);
  const rest = candidates.filter((candidate) => !isUsable(candidate));
  return [...orderUsable(usable, input), ...rest.sort((a, b) => a.facts.openForMs - b.facts.openForMs)];
}

/** May it be asked now, or only when nothing else is left? */
export function isUsable({ facts }: Pick<Candidate, 'facts'>): boolean {
  return (facts.state === 'closed' || facts.state === 'half-open') && !facts.saturated;
}

function orderUsable(usable: Candidate[], input: PlanInput): Candidate[] {
  const ordered: Candidate[] = [];
  const models = new Set(usable.map(({ modelRank }) => modelRank));
  for (const rank of [...models].sort((a, b) => a - b)) {
    const ofModel = usable.filter(({ modelRank }) => modelRank === rank);
    ordered.push(...preferred(spreadTiers(ofModel, input.random), input.preferences));
  }
  return ordered;
}

/** Priority tiers in order; inside a tier load is spread; the holder of the prompt cache comes before all tiers. */
function spreadTiers(candidates: Candidate[], random: () => number): Candidate[] {
  const ordered = candidates.filter(({ sticky }) => sticky);
  const others = candidates.filter(({ sticky }) => !sticky);
  const tiers = new Set(others.map(({ target }) => target.route.priority));
  for (const priority of [...tiers].sort((a, b) => a - b)) {
    const tier = others.filter(({ target }) => target.route.priority === priority);
    const flawed = tier.filter(hasFlaws);
    if (flawed.length === 0 || flawed.length === tier.length) ordered.push(...spread(tier, random));
    // Within a tier, targets that fail any probe come after those that fail none.
    else
      ordered.push(
        ...spread(
          tier.filter((one) => !flawed.includes(one)),
          random,
        ),
        ...spread(flawed, random),
      );
  }
  return ordered;
}

/** Two weighted picks, the better one wins: near-optimal spreading without looking at everybody. */
function spread(tier: Candidate[], random: () => number): Candidate[] {
  const left = [...tier];
  const ordered: Candidate[] = [];
  const providersUsed = new Set<string>();
  while (left.length > 0) {
    // Targets of other providers come first: when a provider is down, its next credential fails too.
    const fresh = left.filter(({ target }) => !providersUsed.has(target.route.provider.id));
    const from = fresh.length > 0 ? fresh : left;
    const first = weightedPick(from, random);
    const second = weightedPick(from, random);
    const winner = isBetter(second, first) ? second : first;
    ordered.push(winner);
    providersUsed.add(winner.target.route.provider.id);
    left.splice(left.indexOf(winner), 1);
  }
  return ordered;
}

function weightedPick(from: Candidate[], random: () => number): Candidate {
  const total = from.reduce((sum, { target }) => sum + Math.max(0, target.weight), 0);
  let at = random() * total;
  for (const candidate of from) {
    at -= Math.max(0, candidate.target.weight);
    if (at < 0) return candidate;
  }
  return from[from.length - 1] as Candidate;
}

/** Less loaded for its weight; then clearly faster; then cheaper for the operator. */
function isBetter(a: Candidate, b: Candidate): boolean {
  const loadA = loadOf(a);
  const loadB = loadOf(b);
  if (loadA !== loadB) return loadA < loadB;
  const [fastA, fastB] = [a.facts.p50Ms, b.facts.p50Ms];
  if (fastA !== undefined && fastB !== undefined && Math.abs(fastA - fastB) > 0.2 * Math.min(fastA, fastB)) {
    return fastA < fastB;
  }
  return comparePrice(a, b) < 0;
}

function loadOf({ facts, target }: Candidate): number {
  return facts.inFlight / Math.max(target.weight, 0.001);
}

/** The caller's own preferences, over the order found so far (sorts are stable). */
function preferred(candidates: Candidate[], preferences: RoutingPreferences | undefined): Candidate[] {
  if (!preferences) return candidates;
  const sorted = [...candidates];
  if (preferences.sort === 'price') sorted.sort(comparePrice);
  else if (preferences.sort === 'latency') sorted.sort(compareLatency);
  const { order: wanted } = preferences;
  if (wanted && wanted.length > 0) sorted.sort((a, b) => rankAmong(wanted, a.target) - rankAmong(wanted, b.target));
  return sorted;
}

/** Unknown prices and latencies come last. */
function comparePrice(a: Candidate, b: Candidate): number {
  return compareKnown(costOf(a), costOf(b));
}

function compareLatency(a: Candidate, b: Candidate): number {
  return compareKnown(a.facts.p50Ms, b.facts.p50Ms);
}

function compareKnown(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a - b;
}

/** A typical request has a few times more input than output; only the order matters. */
function costOf({ target }: Candidate): number | undefined {
  const cost = target.route.cost;
  if (!cost) return undefined;
  return Number(cost.perUnit.inputFresh ?? 0n) * 3 + Number(cost.perUnit.output ?? 0n) + Number(cost.perRequest);
}

/** Cuts the list to the bound, but leaves each fallback model of the caller at least one target. */
function withinBound(ordered: Candidate[]): Candidate[] {
  if (ordered.length <= MAX_TARGETS) return ordered;
  const chosen = new Set<Candidate>();
  const modelsSeen = new Set<number>();
  for (const candidate of ordered) {
    if (chosen.size >= MAX_TARGETS || modelsSeen.has(candidate.modelRank)) continue;
    modelsSeen.add(candidate.modelRank);
    chosen.add(candidate);
  }
  for (const candidate of ordered) {
    if (chosen.size >= MAX_TARGETS) break;
    chosen.add(candidate);
  }
  return ordered.filter((candidate) => chosen.has(candidate));
}

/** One line of the plan for receipts: what a reader needs to see why a request went where it went. */
function explainCandidate({ target, facts, modelRank, sticky }: Candidate, index: number): string {
  let line = `${index + 1}. ${target.summary}, ${facts.inFlight} running`;
  if (facts.p50Ms !== undefined) line += `, first event ${Math.round(facts.p50Ms)} ms`;
  const flaws = target.route.conformance?.failed;
  if (flaws && flaws.size > 0) line += `, fails ${[...flaws].join(' ')}`;
  if (sticky) line += ', holds the prompt cache';
  if (modelRank > 0) line += `, fallback model ${target.model.id}`;
  if (facts.saturated) line += ', provider full';
  if (facts.state === 'half-open') line += ', probe after failures';
  if (facts.state === 'probing') line += ', being probed by another request';
  if (facts.state === 'open') {
    line += `, circuit open for ${Math.ceil(facts.openForMs / 1000)} s${facts.cause ? ` (${facts.cause})` : ''}`;
  }
  return line;
}
