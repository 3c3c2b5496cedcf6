import { describe } from 'vitest';
import { tomanFor } from './fixed-price.ts';
import { BUDGET, exactLimits, LIMITED_ACCOUNTS, LIMITS } from './limits.suite.ts';
import { servicesMissing, startFleet } from './replica-fleet.ts';

describe.skipIf(servicesMissing())('shared limits', () => {
  const open = async () => {
    const fleet = await startFleet({ replicas: 3, accounts: LIMITED_ACCOUNTS });
    // No replica has seen its keys yet.
    await fleet.db.query(
      `with made as (
         insert into shared_budget (id, account_id, name, caps, created_at, updated_at)
         values ('together', $1, 'together', $2, now(), now()) returning id
       ) insert into shared_budget_key (budget_id, key_id) select made.id, api_key.id from made, api_key where account_id = $1`,
      [BUDGET.name, { daily: String(tomanFor(10)) }],
    );
    return {
      vendor: fleet.vendor,
      origins: fleet.replicas.map((replica) => replica.origin),
      audit: () => fleet.books.audit(),
      said: () => fleet.replicas.map((replica) => replica.output).join('\n'),
      end: () => fleet.end(),
    };
  };
  exactLimits('over three replicas on PostgreSQL and Redis', open, [...LIMITS, BUDGET]);
});
