/** Step 7: one atomic reservation over every window and budget; a limit that is reached becomes the client's error. */

import type { BudgetCheck, Hold, ReserveResult } from '../../admission/index.ts';
import type { Model } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { type MaybePromise, whenResolved } from '../../core/maybe-promise.ts';
import { money } from '../../core/money.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { affordableByAny, type Estimate, longestAnswer } from './estimate.ts';
import { limitChecksOfRequest, standingLimitChecks } from './limit-checks.ts';
import { refusalOf, shortageOf } from './limit-refusal.ts';

export interface Admitted {
  hold: Hold;
  /** Upper bound of output tokens to send upstream per choice; undefined leaves it to the model. */
  outputLimit: number | undefined;
  /** True when `outputLimit` comes from what wallet and caps can pay and not from the client. */
  clamped: boolean;
  counters: string[];
  /** Budgets from which more can be held while the answer runs. */
  budgets: BudgetCheck[];
}

/** Returns at once where the counters are in memory. */
export function admit(
  call: Call,
  key: KeySnapshot,
  model: Model,
  estimate: Estimate,
  gw: Gateway,
): MaybePromise<Admitted> {
  // Too many charges wait for the database: admitting more would risk losing them.
  if (!gw.journal.accepting()) throw new GatewayError('overloaded', { retryAfterMs: 2_000, cause: 'journal is full' });
  const standing = standingLimitChecks(key, gw.settings.walletMinimum, gw.clock.now());
  const checks = limitChecksOfRequest(standing, estimate);
  const asked: Asked = { call, model, estimate, counters: standing.counters, budgets: standing.budgets };
  return whenResolved(gw.admission.reserve({ requestId: call.id, checks, money: estimate }), (reserved) =>
    letIn(reserved, asked),
  );
}

interface Asked {
  call: Call;
  model: Model;
  estimate: Estimate;
  counters: string[];
  budgets: BudgetCheck[];
}

function letIn(result: ReserveResult, { call, model, estimate, counters, budgets }: Asked): Admitted {
  call.metadata.windows = result.windows;
  if (!result.ok) {
    const { failed, retryAfterMs, available } = result;
    const isBudget = failed.kind === 'budget';
    throw refusalOf(failed, retryAfterMs, isBudget ? shortageOf(money(available ?? 0n), estimate, model) : undefined);
  }
  const { hold } = result;
  // With `max_tokens` the hold covers the worst case.
  if (estimate.explicit) return { hold, counters, budgets, outputLimit: estimate.limit, clamped: false };
  // A stream's hold grows while it runs (OutputAllowance), so the provider needs no limit.
  if (estimate.growing) return { hold, counters, budgets, outputLimit: undefined, clamped: false };
  const affordable = Math.floor(affordableByAny(estimate, model, hold.amount) / estimate.choices);
  const clamped = affordable < longestAnswer(model);
  return { hold, counters, budgets, outputLimit: clamped ? affordable : undefined, clamped };
}
