/** `/api/console/response-cache`: empties the response cache of the account. */
import { emptyResponseCache } from '@dargah/api/console/response-cache.ts';
import type { ResponseCache } from '../../responsecache/index.ts';
import type { Register } from '../routes/register.ts';

export function responseCacheRoutes(register: Register, cache: Pick<ResponseCache, 'empty'>): void {
  register(emptyResponseCache, async ({ who }) => {
    await cache.empty(who.accountId);
    return { done: true };
  });
}
