/** Step 6: which routes to try, in which order. The decision itself is pure and lives in routing/plan.ts. */
import type { CatalogSnapshot, Model } from '../catalog/index.ts';
import type { ChatRequest, RoutingPreferences } from '../core/chat.ts';
import { GatewayError } from '../core/errors.ts';
import type { KeySnapshot } from '../keys/index.ts';
import type { RoutePlan } from '../routing/index.ts';
import type { Gateway } from './gateway.ts';
import { checkCapabilities, resolveModel } from './resolve.ts';

export interface ChatPlan extends RoutePlan {
  /** The requested model and the fallbacks the caller named; any of them may answer. */
  models: Model[];
}

export function planChat(
  request: ChatRequest,
  model: Model,
  key: KeySnapshot,
  catalog: CatalogSnapshot,
  gw: Gateway,
): ChatPlan {
  const preferences = request.svc.routing;
  const models = [model];
  for (const wanted of preferences?.models ?? []) {
    // A fallback model stands under the same rules as the first one.
    const fallback = resolveModel(wanted, key, catalog, 'chat');
    checkCapabilities(request, fallback);
    if (!models.includes(fallback)) models.push(fallback);
  }
  return {
    ...answerable(gw.router.plan({ accountId: key.account.id, models, messages: request.messages, preferences })),
    models,
  };
}

/** For endpoints without a conversation: no stickiness, no fallback models. */
export function planModel(
  model: Model,
  key: KeySnapshot,
  preferences: RoutingPreferences | undefined,
  gw: Gateway,
): RoutePlan {
  return answerable(gw.router.plan({ accountId: key.account.id, models: [model], messages: [], preferences }));
}

function answerable(plan: RoutePlan): RoutePlan {
  if (plan.targets.length === 0) throw new GatewayError('upstream_error', { cause: plan.explanation });
  return plan;
}
