/** Step 6: which routes to try, in which order. The decision itself is pure and lives in routing/plan.ts. */

import type { DataDemand } from '@dargah/core/data-policy.ts';
import type { CatalogSnapshot, Model } from '../../catalog/index.ts';
import type { ChatRequest, HostedCalls, RoutingPreferences, ServiceExtension } from '../../core/chat.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import type { RoutingTold } from '../../core/routing-told.ts';
import { checkDataPolicy, checkPrice, dataDemands, type KeySnapshot } from '../../keys/index.ts';
import { namedAtProvider } from '../../protocols/index.ts';
import type { RoutePlan, Target } from '../../routing/index.ts';
import type { Gateway } from '../gateway.ts';
import { gatewayReasons } from '../reasons.ts';
import type { AutoChoice } from './auto-choice.ts';
import { mostExpensiveOf, withOwnKeys } from './own-keys.ts';
import { needsOf, refuseLacking } from './request-needs.ts';
import { checkCapabilities, resolveModel } from './resolve.ts';
import { sellBeside } from './sell-beside.ts';

/** An error quotes at most this many characters of an id. */
const MAX_QUOTED_CHARS = 64;

export interface RequestPlan extends RoutePlan {
  /** The model that was asked for. */
  model: Model;
  /** That model and the fallbacks the caller named; any of them may answer. */
  models: Model[];
  /** True when one of the targets may reason without showing it. */
  thinksUnseen: boolean;
  /** True when all of them were asked not to reason. */
  asksNoThinking: boolean;
  /** Tools that one of the targets runs. */
  hosted?: HostedCalls;
  /** What the receipt tells about the routing; undefined for nearly every request. */
  told?: RoutingTold | undefined;
}

export function planChat(
  request: ChatRequest,
  model: Model,
  key: KeySnapshot,
  gw: Gateway,
  auto?: AutoChoice,
): RequestPlan {
  const preferences = request.svc.routing;
  const named = auto ? [...auto.models] : [model];
  if (preferences?.models) addFallbacks(named, preferences.models, request, key, gw.catalog.current());
  const models = withOwnKeys(named, key, gw);
  const needs = models.some((one) => one.hasFlaws) ? needsOf(request) : undefined;
  const wanted = dataDemands(key, preferences?.data);
  if (wanted && models !== named) checkOwnTerms(key, request.svc, model, models);
  const { targets: planned, explanation } = answerable(
    gw.router.plan({ accountId: key.account.id, models, messages: request.messages, preferences, needs, wanted }),
    preferences,
  );
  const targets = reachingOwn(planned, request);
  const { upstreamProtocols } = gw;
  const thinksUnseen = targets.some((target) => !showsItsOutput(request, target, upstreamProtocols));
  const asksNoThinking = targets.every((target) => forbidsThinking(request, target, upstreamProtocols));
  const told = toldOf(wanted, targets, key, auto);
  const asked = mostExpensiveOf(models, model);
  const plan: RequestPlan = { targets, explanation, model: asked, models, thinksUnseen, asksNoThinking, told };
  const { priced } = request;
  if (priced?.protocol === undefined) return plan;
  return sellBeside(plan, { protocol: priced.protocol, tier: priced.tier, hosted: priced.hosted }, key);
}

/**
 * Files and stores at a provider are reached with the account's own key alone. Nobody makes them through the operator's
 * key, so behind it every id belongs to somebody else: the answer is that of an id that nobody has.
 */
function reachingOwn(targets: Target[], request: ChatRequest): Target[] {
  const named = namedAtProvider(request);
  if (!named) return targets;
  const own = targets.filter(({ route }) => route.own);
  if (own.length > 0) return own;
  const { id, param } = named;
  throw new GatewayError('not_found', { param, reason: gatewayReasons.notAtProvider(id.slice(0, MAX_QUOTED_CHARS)) });
}

/** A fallback model is checked by the same rules as the first one. */
function addFallbacks(
  models: Model[],
  wanted: readonly string[],
  request: ChatRequest,
  key: KeySnapshot,
  catalog: CatalogSnapshot,
): void {
  for (const name of wanted) {
    const fallback = resolveModel(name, key, catalog, 'chat');
    checkCapabilities(request, fallback);
    checkPrice(key, fallback);
    checkDataPolicy(key, request, fallback);
    if (!models.includes(fallback)) models.push(fallback);
  }
}

/**
 * Whether an answer can be seen growing. Some models reason without showing it, and money for hidden output cannot be
 * held step by step.
 */
function showsItsOutput(
  request: ChatRequest,
  { model, route }: Target,
  protocols: Gateway['upstreamProtocols'],
): boolean {
  if (!model.capabilities.has('reasoning')) return true;
  return protocols[route.provider.protocol].upstream.showsThinking?.(request, route.quirks) ?? false;
}

/**
 * The silence of a model that was asked not to reason, and obeys, is not charged; reported tokens are. A request that
 * says both (an effort, and reasoning off) gets no such benefit, because providers read one of the two.
 */
function forbidsThinking(
  { reasoning }: ChatRequest,
  { route }: Target,
  protocols: Gateway['upstreamProtocols'],
): boolean {
  if (reasoning === undefined || reasoning.budgetTokens !== undefined) return false;
  const { effort, mode } = reasoning;
  const isOff =
    effort === 'none' ? mode === undefined || mode === 'disabled' : mode === 'disabled' && effort === undefined;
  const { obeysNoThinking } = protocols[route.provider.protocol].upstream;
  return isOff && (obeysNoThinking?.(route.quirks, route.upstreamModel) ?? true);
}

/** For endpoints without a conversation: no stickiness, no fallback models. */
export function planModel(
  model: Model,
  key: KeySnapshot,
  preferences: RoutingPreferences | undefined,
  gw: Gateway,
): RequestPlan {
  const models = withOwnKeys([model], key, gw);
  const wanted = dataDemands(key, preferences?.data);
  if (wanted && models[0] !== model)
    checkOwnTerms(key, { knowledgeBaseIds: [], ...(preferences && { routing: preferences }) }, model, models);
  const { targets, explanation } = answerable(
    gw.router.plan({ accountId: key.account.id, models, messages: [], preferences, wanted }),
    preferences,
  );
  const told = toldOf(wanted, targets, key);
  const first = mostExpensiveOf(models, model);
  return { targets, explanation, model: first, models, thinksUnseen: false, asksNoThinking: false, told };
}

/**
 * With the account's own key another contract applies at the provider, so a demand that was met before may not be met
 * now.
 */
function checkOwnTerms(key: KeySnapshot, svc: ServiceExtension, { id }: Model, models: readonly Model[]): void {
  checkDataPolicy(key, { model: undefined, svc }, { id, routes: models.flatMap(({ routes }) => routes) });
}

function toldOf(
  wanted: readonly DataDemand[] | undefined,
  targets: readonly Target[],
  { account }: KeySnapshot,
  auto?: AutoChoice,
): RoutingTold | undefined {
  // Applies to every model with an own key: also behind a model without one, or behind the operator's routes while too
  // many requests run with it.
  const own = account.ownKeys && targets.find(({ route }) => route.own)?.route.own;
  if (wanted === undefined && own === undefined && auto === undefined) return undefined;
  return {
    ...(auto && { auto: auto.told }),
    ...(wanted && { data: { demanded: wanted, stated: null } }),
    ...(own && { ownKey: { id: own.id, feePercent: own.feePercent, answered: false } }),
  };
}

function answerable(plan: RoutePlan, preferences: RoutingPreferences | undefined): RoutePlan {
  if (plan.targets.length > 0) return plan;
  if (plan.lacking) refuseLacking(plan.lacking);
  // There are routes, but the caller's own preferences exclude every one of them.
  if (preferences && plan.explanation.length > 0) {
    throw invalidRequest('svc.routing', gatewayReasons.noRouteAgrees);
  }
  throw new GatewayError('upstream_error', { cause: plan.explanation });
}
