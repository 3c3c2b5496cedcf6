/**
 * Which targets to try, in which order, and why. Pure: live facts and randomness are handed in, so that a plan can be repeated
 * and tested. The explanation goes onto the receipt.
 */
import type { DataDemand } from '@dargah/core/data-policy.ts';
import type { ProbeId } from '@dargah/core/probes.ts';
import type { Model } from '../catalog/index.ts';
import type { RoutingPreferences } from '../core/chat.ts';
import { type Candidate, hasFlaws, lackOf, type RequestNeeds, rankAmong, whyNot, whyNotByData } from './candidate.ts';
import { explainCandidate } from './explain.ts';
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
  /** What whoever answers must state about data; undefined: nothing. */
  wanted?: readonly DataDemand[] | undefined;
  /** The target that holds this conversation's prompt cache. */
  sticky: string | undefined;
  /** In [0, 1). */
  random: () => number;
}

export interface RoutePlan {
  targets: Target[];
  /** One line per candidate, tried or not. */
  explanation: string[];
  /** What the request needs and the routes that could be tried fail; only where none is left. */
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

/** `refused` gets a line for each target that the caller's preferences rule out. */
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

/** What a route fails it is not asked for. Where all fail it and a request may do without, they are asked all the same. */
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

/** Usable before unusable, whatever else is preferred: an open circuit is only tried when nothing else is left. */
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
    // Who fails a probe, whatever it is, comes after those of its tier who fail none.
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
    // When one credential fails because its provider is down, the next one of the same provider fails too.
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

/** Unknown is neither free nor fast: it comes last. */
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

/** Cuts to the bound but leaves each fallback model the caller named at least one place. */
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
