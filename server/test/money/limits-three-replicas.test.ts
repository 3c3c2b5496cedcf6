import { describe } from 'vitest';
import { exactLimits, LIMITED_ACCOUNTS } from './limits.suite.ts';
import { servicesMissing, startFleet } from './replica-fleet.ts';

describe.skipIf(servicesMissing())('shared limits', () => {
  exactLimits('over three replicas on PostgreSQL and Redis', async () => {
    const fleet = await startFleet({ replicas: 3, accounts: LIMITED_ACCOUNTS });
    return {
      vendor: fleet.vendor,
      origins: fleet.replicas.map((replica) => replica.origin),
      audit: () => fleet.books.audit(),
      said: () => fleet.replicas.map((replica) => replica.output).join('\n'),
      end: () => fleet.end(),
    };
  });
});
