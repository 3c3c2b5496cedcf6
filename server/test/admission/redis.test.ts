import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { createRedisAdmission } from '../../src/admission/index.ts';
import { createRedis } from '../../src/platform/redis/index.ts';
import { admissionConformance } from '../conformance/admission.suite.ts';
import { type RedisService, redisMissing, startRedis } from '../services/redis.ts';

describe.skipIf(redisMissing())('on a real Redis', () => {
  let service: RedisService;
  let worlds = 0;
  let modes: string[] = [];

  beforeAll(async () => {
    service = await startRedis();
  });
  afterAll(async () => {
    await service.stop();
  });

  // A replica on its leases would pass many of these tests too.
  afterEach(() => {
    expect(modes).toEqual(['redis']);
    modes = [];
  });

  admissionConformance('Redis', async ({ clock, ledger }) => {
    const redis = createRedis({ url: service.url });
    await once(redis, 'ready');
    return createRedisAdmission({
      redis,
      clock,
      time: 'given',
      replicaId: 'only',
      loadPosted: ledger.load,
      keyPrefix: `{world-${++worlds}}:`,
      // The hands of the clock jump by minutes; nobody dies of that here. And a busy machine is not a slow Redis.
      heartbeatMs: 86_400_000,
      deadlineMs: 10_000,
      onMode: (mode) => modes.push(mode),
    });
  });
});
