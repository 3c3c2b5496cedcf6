/** The error for a limit that is reached: for the reservation, large bodies and dry runs alike. */
import type { LimitCheck, WindowCheck } from '../../admission/index.ts';
import type { Model } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { type Money, money, toTomanText } from '../../core/money.ts';
import { toldTime } from '../../core/told-time.ts';
import { gatewayReasons } from '../reasons.ts';
import { affordableByAny, type Estimate } from './estimate.ts';
import type { CapCheck } from './limit-checks.ts';
import { RATE_LIMITS, type RateLimit } from './limits.ts';

const RETRY_MS = 1_000;

/** `retryAfterMs` exists for windows only, `shortage` for budgets only. */
export function refusalOf(
  check: LimitCheck | CapCheck,
  retryAfterMs: number = RETRY_MS,
  shortage: Record<string, Json> = {},
): GatewayError {
  if (check.kind === 'window') return windowRefusal(check, retryAfterMs);
  if (check.name === 'wallet') return new GatewayError('insufficient_balance', { detail: shortage });
  const { scope, setBy, period, limit, resetsAt, budgetName } = check as CapCheck;
  const until = resetsAt === null ? undefined : toldTime(resetsAt);
  return new GatewayError('spend_cap_reached', {
    ruleOf: scope === 'key' ? 'key' : 'account',
    reason: gatewayReasons.capReached({ scope, setBy, budgetName }, period, toTomanText(limit), until),
    detail: {
      ...shortage,
      cap: `${scope}.${period}`,
      ...(budgetName !== undefined && { cap_budget: budgetName }),
      ...(scope === 'account' && { cap_set_by: setBy }),
      cap_toman: toTomanText(limit),
      resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
    },
  });
}

/** How much a budget with `available` lacks for a request; known only once the body is parsed. */
export function shortageOf(available: Money, estimate: Estimate, model: Model): Record<string, Json> {
  return {
    missing_toman: toTomanText(money(estimate.least - available)),
    // Only a chat can be asked for a shorter answer, so only there a number of tokens helps.
    ...(model.kind === 'chat' && { affordable_tokens: affordableByAny(estimate, model, available) }),
  };
}

function windowRefusal({ name, amount, limit }: WindowCheck, retryAfterMs: number): GatewayError {
  const { told, neverFits, owner } = RATE_LIMITS.get(name) as RateLimit;
  const detail = { limit: told, limit_value: limit };
  if (neverFits === undefined || amount <= limit) {
    const reason = gatewayReasons.rateReached(told, owner, limit);
    return new GatewayError('rate_limited', { retryAfterMs, ruleOf: owner, reason, detail });
  }
  const { reason, detail: more } = neverFits(amount, limit);
  return new GatewayError('rate_limited', {
    retryAfterMs,
    shouldRetry: false,
    ruleOf: owner,
    reason,
    detail: { ...detail, ...more },
  });
}
