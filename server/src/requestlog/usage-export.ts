/** Usage line by line, for files: a day's charges by key, model, endpoint and tags. */
import { parseTrustedJson } from '../core/json.ts';
import type { Database } from '../platform/db/database.ts';
import type { ArchivedDays } from './archive/archived-days.ts';
import { createArchivedUsage } from './archive/archived-usage.ts';
import type { UsageFilter } from './request-filter.ts';
import { linesOfUsage } from './usage-rows.ts';
import type { UsageLine } from './usage-sums.ts';

export interface UsageLines {
  /** For spans of at most one day; undefined when the day has more lines than a file may have. */
  lines(filter: UsageFilter): Promise<UsageLine[] | undefined>;
}

/** The most lines of a day that are read; all of them are in memory at once. */
const MAX_LINES_OF_DAY = 50_000;

export function createUsageLines(db: Database, archived?: ArchivedDays): UsageLines {
  const old = archived && createArchivedUsage(db, archived);
  return {
    async lines(filter) {
      const rows = await linesOfUsage(db, filter, MAX_LINES_OF_DAY + 1);
      const lines = rows.map(({ cost, tags, ...row }) => ({
        ...row,
        cost: BigInt(cost),
        tags: tags === null ? [] : (parseTrustedJson(tags) as string[]),
      }));
      const all = (await old?.lines(filter, lines)) ?? lines;
      return all.length > MAX_LINES_OF_DAY ? undefined : all;
    },
  };
}
