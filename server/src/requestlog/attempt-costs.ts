/**
 * What a stored request says of costs, read from its detail alone, because a walk over millions of rows needs nothing
 * else.
 */

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

/**
 * Attempts that cost us something beside what was sold: each lost hedge, an answer that was not charged, and a route
 * that continued another's answer.
 */
export function unsoldCosts(detail: string): { provider: string; cost: Money; continues: boolean }[] {
  return costFactsOf(detail).attempts.flatMap(({ provider, providerCost, continues = false }) =>
    providerCost === undefined ? [] : [{ provider, cost: parseToman(providerCost) ?? ZERO, continues }],
  );
}
