/** `/api/console/response-cache`: forgets what equal requests of the account would be given again. */
import { emptyResponseCache } from '@dargah/api/console/response-cache.ts';
import type { ResponseCache } from '../../responsecache/index.ts';
import type { Register } from '../routes/register.ts';

export function responseCacheRoutes(register: Register, cache: Pick<ResponseCache, 'empty'>): void {
  register(emptyResponseCache, async ({ who }) => {
    await cache.empty(who.accountId);
    return { done: true };
  });
}
