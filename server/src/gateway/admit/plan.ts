/** Step 6: which routes to try, in which order. The decision itself is pure and lives in routing/plan.ts. */

import type { CatalogSnapshot, Model } from '../../catalog/index.ts';
import type { ChatRequest, RoutingPreferences } from '../../core/chat.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { RoutePlan } from '../../routing/index.ts';
import type { Gateway } from '../gateway.ts';
import { gatewayReasons } from '../reasons.ts';
import { checkCapabilities, resolveModel } from './resolve.ts';

export interface ChatPlan extends RoutePlan {
  /** The requested model and the fallbacks the caller named; any of them may answer. */
  models: Model[];
}

export function planChat(request: ChatRequest, model: Model, key: KeySnapshot, gw: Gateway): ChatPlan {
  const preferences = request.svc.routing;
  const models = [model];
  if (preferences?.models) addFallbacks(models, preferences.models, request, key, gw.catalog.current());
  const { targets, explanation } = answerable(
    gw.router.plan({ accountId: key.account.id, models, messages: request.messages, preferences }),
    preferences,
  );
  return { targets, explanation, models };
}

/** A fallback model stands under the same rules as the first one. */
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
    if (!models.includes(fallback)) models.push(fallback);
  }
}

/** For endpoints without a conversation: no stickiness, no fallback models. */
export function planModel(
  model: Model,
  key: KeySnapshot,
  preferences: RoutingPreferences | undefined,
  gw: Gateway,
): RoutePlan {
  return answerable(
    gw.router.plan({ accountId: key.account.id, models: [model], messages: [], preferences }),
    preferences,
  );
}

function answerable(plan: RoutePlan, preferences: RoutingPreferences | undefined): RoutePlan {
  if (plan.targets.length > 0) return plan;
  // There are routes, and the caller's own preferences exclude every one of them.
  if (preferences && plan.explanation.length > 0) {
    throw invalidRequest('svc.routing', gatewayReasons.noRouteAgrees);
  }
  throw new GatewayError('upstream_error', { cause: plan.explanation });
}
