/**
 * The request log together with the days that only the archive has: single requests, and lists that continue where the
 * log ends.
 */
import { MAX_PAGE, type RequestLog } from '../store.ts';
import type { ArchivedDays } from './archived-days.ts';

export function withArchive(log: RequestLog, archived: ArchivedDays): RequestLog {
  return {
    ...log,
    async find(id, accountId) {
      const found = (await log.find(id, accountId)) ?? (await archived.find(id));
      return accountId === undefined || found?.accountId === accountId ? found : undefined;
    },
    async list(filter, page) {
      const limit = Math.max(1, Math.min(page.limit, MAX_PAGE));
      const { requests, ...place } = await log.list(filter, { ...page, limit });
      const { rows, ...end } = await archived.goOn({ rows: requests, ...place }, filter, {
        before: page.before,
        limit,
      });
      return { requests: rows, ...end };
    },
  };
}
