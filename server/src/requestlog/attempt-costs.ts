/** What a stored request says of costs, from its detail alone: a walk over millions of rows needs nothing else of it. */

import type { Json } from '../core/json.ts';
import { type Money, parseToman, ZERO } from '../core/money.ts';
import type { Usage } from '../core/usage.ts';
import type { Neighbours } from './column-kinds.ts';
import { ATTEMPTS, parseDetail, USAGE } from './detail-kinds.ts';
import type { AttemptRecord } from './record.ts';

const NOWHEN: Neighbours = { createdAt: 0, accountId: '', keyId: '' };

interface CostFacts {
  usage: Usage | null;
  attempts: AttemptRecord[];
}

export function costFactsOf(detail: string): CostFacts {
  const stored = (parseDetail(detail) ?? {}) as { usage?: Json; attempts?: Json };
  const { usage, attempts } = stored;
  return {
    usage: usage === undefined ? null : USAGE.read(usage, NOWHEN),
    attempts: attempts === undefined ? [] : ATTEMPTS.read(attempts, NOWHEN),
  };
}

interface UnsoldCost {
  provider: string;
  cost: Money;
  /** Of a route that went on with what another had begun. */
  isContinued: boolean;
}

/** Attempts that cost us something beside what was sold: each lost hedge, an answer that was not charged, one that was continued. */
export function unsoldCosts(detail: string): UnsoldCost[] {
  return costFactsOf(detail).attempts.flatMap(({ provider, providerCost, continued }) =>
    providerCost === undefined
      ? []
      : [{ provider, cost: parseToman(providerCost) ?? ZERO, isContinued: continued === true }],
  );
}
