/** What reaches a Redis that has forgotten its sender must not change what others have told it since. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptCalls } from '../../src/admission/redis/script-calls.ts';
import { createRedis, type RedisClient } from '../../src/platform/redis/index.ts';
import { type RedisService, redisMissing, startRedis } from '../services/redis.ts';
import { tokens } from './check-fixtures.ts';

const NOW_MS = 1_800_000_000_000;
const SECOND = NOW_MS / 1_000;

describe.skipIf(redisMissing())('a Redis that lost its memory', () => {
  let service: RedisService;
  let redis: RedisClient;
  let calls: ScriptCalls;
  beforeAll(async () => {
    service = await startRedis();
    redis = createRedis({ url: service.url });
    await once(redis, 'ready');
    const now = (): string => String(NOW_MS);
    calls = new ScriptCalls({
      redis,
      prefix: '{test}:',
      deadlineMs: 5_000,
      heartbeatMs: 10_000,
      now,
      isCluster: false,
    });
  });
  afterAll(async () => {
    redis.disconnect();
    await service.stop();
  });

  it('takes the correction of a replica that has not registered from nobody else', async () => {
    const window = tokens('k', 1_000, 0);
    const key = calls.keyOf('window', window.id);
    await calls.join('registered#aaaaaaaaaaaa', 'epoch', { isFirst: true, settleMs: 0 });
    await calls.decide('registered#aaaaaaaaaaaa', [{ kind: 'admitted', key, at: NOW_MS, amount: 300 }], []);
    const correction = { kind: 'correct', key, second: SECOND, delta: -200 } as const;
    await calls.decide('forgotten#bbbbbbbbbbbb', [correction], []);
    expect(await calls.readWindows([window])).toMatchObject([{ used: 300 }]);
    await calls.decide('registered#aaaaaaaaaaaa', [correction], []);
    expect(await calls.readWindows([window])).toMatchObject([{ used: 100 }]);
  });
});
