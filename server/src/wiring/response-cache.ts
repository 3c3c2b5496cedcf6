/** The response cache: in this process, and where there are other replicas also in their Redis. */
import type { Settings } from '../config/index.ts';
import { createRedis } from '../platform/redis/index.ts';
import { createResponseCache, type ResponseCache } from '../responsecache/index.ts';
import type { Foundation } from './foundation.ts';

export function openResponseCache(base: Foundation, limits: Settings['limits']): ResponseCache {
  const { environment, log, clock, background, db } = base;
  const bounds = () => ({
    bytesPerAnswer: limits.cacheMaxAnswerBytes,
    bytesPerAccount: limits.cacheMaxAccountBytes,
    bytesTotal: limits.cacheMaxTotalBytes,
  });
  const { redisUrl: url } = environment;
  const onError = (error: Error) => log.debug({ err: error }, 'response cache: redis connection');
  return createResponseCache(
    { bounds, clock, background, db },
    url === undefined ? undefined : createRedis({ url, onError }),
  );
}
