/** The response cache of a replica: its own memory first, then that of the others. */
import type { Clock } from '../core/clock.ts';
import type { MaybePromise } from '../core/maybe-promise.ts';
import type { Background } from '../platform/background.ts';
import type { Database } from '../platform/db/index.ts';
import type { RedisClient } from '../platform/redis/index.ts';
import { LocalAnswers, type LocalFirst } from './local-answers.ts';
import { RedisAnswers } from './redis-answers.ts';
import type { CacheBounds, CacheRequest, ClaimedAnswer, ResponseCache } from './response-cache.ts';

export interface ResponseCacheOptions {
  bounds: () => CacheBounds;
  clock: Clock;
  background: Background;
  db: Database;
}

const SWEEP_MS = 5_000;
/** Tells the replicas that an account's answers are to be dropped. */
const TOPIC = 'response-cache';

export function createResponseCache(options: ResponseCacheOptions, redis?: RedisClient): ResponseCache {
  const { bounds, clock, background, db } = options;
  const shared = redis && new RedisAnswers(redis, clock);
  const local = new LocalAnswers(bounds, clock, shared && ((id, digest) => shared.forget(id, digest)));
  background.every(SWEEP_MS, 'response cache', async () => local.sweep());
  const unsubscribe = db.subscribe(
    TOPIC,
    (id) => local.empty(id),
    () => local.emptyAll(),
  );
  return {
    claim: (request) => claim(request, local, shared),
    async empty(accountId) {
      local.empty(accountId);
      await shared?.empty(accountId);
      await db.transaction((tx) => db.publish(tx, TOPIC, accountId));
    },
    close() {
      unsubscribe();
      shared?.close();
    },
  };
}

function claim(
  request: CacheRequest,
  local: LocalAnswers,
  shared: RedisAnswers | undefined,
): MaybePromise<ClaimedAnswer> {
  const claimed = local.claim(request);
  if (claimed.kind !== 'first') return claimed;
  if (shared) return claimElsewhere(request, claimed, shared);
  return { kind: 'first', done: (text) => void claimed.done(text, request.keepMs) };
}

/** Equal requests that arrive here meanwhile wait for this one. */
async function claimElsewhere(request: CacheRequest, own: LocalFirst, shared: RedisAnswers): Promise<ClaimedAnswer> {
  const { keepMs } = request;
  // While Redis is away every replica asks providers itself.
  const found = await shared.find(request).catch(() => undefined);
  if (found === undefined) return { kind: 'first', done: (text) => void own.done(text, keepMs) };
  if (found.kind !== 'nothing') {
    own.done(found.text);
    return found;
  }
  const stop = shared.heartbeat(request);
  return {
    kind: 'first',
    done(text) {
      const isKept = own.done(text, keepMs);
      if (text === undefined || !isKept) stop();
      else
        shared
          .keep(request, text, found.emptied)
          .catch(() => undefined)
          .finally(stop);
    },
  };
}
