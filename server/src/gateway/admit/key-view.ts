/** `GET /key`: the calling key's effective rules, what is left of each limit, and the wallet. */
import { type BudgetState, NO_LIMIT, type WindowState } from '../../admission/index.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { max, money, toTomanText, ZERO } from '../../core/money.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Gateway } from '../gateway.ts';
import { type CapDemand, demandsOf } from './demands.ts';

export async function keyView(key: KeySnapshot, gw: Gateway): Promise<JsonObject> {
  const demands = demandsOf(key, gw.settings.walletMinimum, gw.clock.now());
  const windows = await gw.admission.windows([demands.keyRequests, demands.accountRequests, demands.keyTokens]);
  const budgets = await gw.admission.budgets([...demands.caps, demands.wallet]);
  const { rules, account } = key;
  return {
    object: 'key',
    id: key.id,
    account_id: account.id,
    name: key.name,
    paused: rules.paused || account.rules.paused,
    expires_at: rules.expiresAt === null ? null : new Date(rules.expiresAt).toISOString(),
    default_model: rules.defaultModel,
    models: narrower(rules.models, account.rules.models),
    endpoints: narrower(rules.endpoints, account.rules.endpoints),
    ips: rules.ips,
    referrers: rules.referrers,
    knowledge_bases: rules.knowledgeBases,
    limits: {
      requests: windowView(windows.get(demands.keyRequests.id)),
      tokens: windowView(windows.get(demands.keyTokens.id)),
      account_requests: windowView(windows.get(demands.accountRequests.id)),
    },
    caps: demands.caps.map((cap) => capView(cap, budgets.get(cap.id))),
    wallet: walletView(budgets.get(demands.wallet.id)),
  };
}

/** Both lists apply; where both are set a model must be on both, which the two lists side by side tell exactly. */
function narrower(key: string[] | null, account: string[] | null): Json {
  if (key === null || account === null) return key ?? account;
  return key.filter(
    (item) =>
      account.includes(item) || item.startsWith('group:') || account.some((other) => other.startsWith('group:')),
  );
}

function windowView(state: WindowState | undefined): JsonObject {
  if (!state) return { limit: null, remaining: null, reset_ms: 0 };
  const unlimited = state.limit >= NO_LIMIT;
  return {
    limit: unlimited ? null : state.limit,
    remaining: unlimited ? null : state.remaining,
    reset_ms: state.resetMs,
  };
}

function capView(cap: CapDemand, state: BudgetState | undefined): JsonObject {
  const spent = state?.posted ?? ZERO;
  const held = state?.held ?? ZERO;
  return {
    scope: cap.scope,
    period: cap.period,
    limit: toTomanText(cap.limit),
    spent: toTomanText(spent),
    held: toTomanText(held),
    remaining: toTomanText(max(ZERO, money(cap.limit - spent - held))),
    resets_at: cap.resetsAt === null ? null : new Date(cap.resetsAt).toISOString(),
  };
}

function walletView(state: BudgetState | undefined): JsonObject {
  const balance = money(-(state?.posted ?? 0n));
  const held = state?.held ?? ZERO;
  return { balance: toTomanText(balance), held: toTomanText(held), available: toTomanText(money(balance - held)) };
}
