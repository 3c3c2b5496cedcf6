/** Step 6: which routes to try, in which order. The decision itself is pure and lives in routing/plan.ts. */
import type { CatalogSnapshot, Model } from '../catalog/index.ts';
import type { ChatRequest } from '../core/chat.ts';
import { GatewayError } from '../core/errors.ts';
import type { KeySnapshot } from '../keys/index.ts';
import type { RoutePlan } from '../routing/index.ts';
import type { Gateway } from './gateway.ts';
import { checkCapabilities, resolveModel } from './resolve.ts';

export function planChat(request: ChatRequest, model: Model, key: KeySnapshot, catalog: CatalogSnapshot, gw: Gateway): RoutePlan {
  const preferences = request.svc.routing;
  const models = [model];
  for (const wanted of preferences?.models ?? []) {
    // A fallback model stands under the same rules as the first one.
    const fallback = resolveModel(wanted, key, catalog, 'chat');
    checkCapabilities(request, fallback);
    if (!models.includes(fallback)) models.push(fallback);
  }
  const plan = gw.router.plan({ accountId: key.account.id, models, request, preferences });
  if (plan.targets.length === 0) throw new GatewayError('upstream_error', { cause: plan.explanation });
  return plan;
}
