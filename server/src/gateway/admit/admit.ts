/** Step 7: one atomic take over every window and budget; what fails becomes the client's error. */

import type { BudgetDemand, Hold, TakeResult } from '../../admission/index.ts';
import type { Model } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { money, toTomanText } from '../../core/money.ts';
import { type Soon, whenThere } from '../../core/soon.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { type CapDemand, demandsFor, demandsOf } from './demands.ts';
import { affordableByAny, type Estimate, longestAnswer } from './estimate.ts';
import { RATE_LIMITS, type RateLimit } from './limits.ts';

export interface Admitted {
  hold: Hold;
  /** Upper bound of output tokens to send upstream per choice; undefined leaves it to the model. */
  outputLimit: number | undefined;
  /** True when `outputLimit` is what wallet and caps can pay and not what anybody asked for. */
  clamped: boolean;
  counters: string[];
  /** Where more can be taken while the answer runs. */
  budgets: BudgetDemand[];
}

/** At once where the counters are in memory. */
export function admit(
  call: Call,
  key: KeySnapshot,
  model: Model,
  estimate: Estimate,
  choices: number,
  gw: Gateway,
): Soon<Admitted> {
  // Too many charges wait for the database: taking more would risk losing them.
  if (!gw.journal.accepting()) throw new GatewayError('overloaded', { retryAfterMs: 2_000, cause: 'journal is full' });
  const standing = demandsOf(key, gw.settings.walletMinimum, gw.clock.now());
  const demands = demandsFor(standing, estimate);
  const asked: Asked = { call, model, estimate, choices, counters: standing.counters, budgets: standing.budgets };
  return whenThere(gw.admission.take({ requestId: call.id, demands, money: estimate }), (taken) => letIn(taken, asked));
}

interface Asked {
  call: Call;
  model: Model;
  estimate: Estimate;
  choices: number;
  counters: string[];
  budgets: BudgetDemand[];
}

function letIn(result: TakeResult, { call, model, estimate, choices, counters, budgets }: Asked): Admitted {
  call.trail.windows = result.windows;
  if (!result.ok) throw refusal(result, model, estimate);
  const { hold } = result;
  // With `max_tokens` the hold covers the worst case.
  if (estimate.explicit) return { hold, counters, budgets, outputLimit: estimate.limit, clamped: false };
  // What can be seen growing is held for while it grows (OutputAllowance), so the provider needs no limit.
  if (estimate.growing) return { hold, counters, budgets, outputLimit: undefined, clamped: false };
  const affordable = Math.floor(affordableByAny(estimate, model, hold.amount) / choices);
  const clamped = affordable < longestAnswer(model);
  return { hold, counters, budgets, outputLimit: clamped ? affordable : undefined, clamped };
}

function refusal(result: Extract<TakeResult, { ok: false }>, model: Model, estimate: Estimate): GatewayError {
  const { failed } = result;
  if (failed.kind === 'window') {
    const retryAfterMs = result.retryAfterMs ?? 1_000;
    const { told, neverFits } = RATE_LIMITS.get(failed.name) as RateLimit;
    const detail = { limit: told, limit_value: failed.limit };
    if (neverFits === undefined || failed.amount <= failed.limit)
      return new GatewayError('rate_limited', { retryAfterMs, detail });
    const { reason, detail: more } = neverFits(failed.amount, failed.limit);
    return new GatewayError('rate_limited', {
      retryAfterMs,
      shouldRetry: false,
      reason,
      detail: { ...detail, ...more },
    });
  }
  const available = money(result.available ?? 0n);
  const detail = {
    missing_toman: toTomanText(money(estimate.least - available)),
    // Only a chat can be asked for a shorter answer, so only there a number of tokens helps.
    ...(model.kind === 'chat' && { affordable_tokens: affordableByAny(estimate, model, available) }),
  };
  if (failed.name === 'wallet') return new GatewayError('insufficient_balance', { detail });
  const cap = failed as CapDemand;
  return new GatewayError('spend_cap_reached', {
    detail: {
      ...detail,
      cap: `${cap.scope}.${cap.period}`,
      cap_toman: toTomanText(cap.limit),
      resets_at: cap.resetsAt === null ? null : new Date(cap.resetsAt).toISOString(),
    },
  });
}
