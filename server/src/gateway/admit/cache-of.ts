/**
 * Decides whether an answer may come from the response cache, and how long it is kept there. The request decides; where
 * it says nothing, the key's rule does.
 */
import type { ServiceExtension } from '../../core/chat.ts';
import { invalidRequest } from '../../core/errors.ts';
import { gatewayReasons } from '../reasons.ts';

export interface CacheTerms {
  keepMs: number;
}

/** `keyRule`: null leaves it to the request, 0 forbids it (check-rules.ts refuses a request that asks for it). */
export function cacheOf(
  { cacheSeconds: asked }: ServiceExtension,
  keyRule: number | null,
  maxSeconds: number,
): CacheTerms | undefined {
  if (asked === undefined && keyRule === null) return undefined;
  if (asked !== undefined && asked > maxSeconds)
    throw invalidRequest('svc.cache_seconds', gatewayReasons.cacheTooLong(maxSeconds));
  const seconds = Math.min(asked ?? keyRule ?? 0, maxSeconds);
  return seconds === 0 ? undefined : { keepMs: seconds * 1_000 };
}
