/** Usage line by line, for files: a day's charges by key, model, endpoint and tags. */
import { parseTrustedJson } from '../core/json.ts';
import type { Database } from '../platform/db/database.ts';
import { CACHED_TOKENS, TAGS_COLUMN, type UsageFilter, usageConditions } from './usage.ts';

export interface UsageLine {
  keyId: string;
  model: string;
  endpoint: string;
  tags: string[];
  requests: number;
  errors: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** Micro-toman. */
  cost: bigint;
}

export interface UsageLines {
  /** Of a span that is no longer than a day; undefined when there are more than a file can have of one day. */
  lines(filter: UsageFilter): Promise<UsageLine[] | undefined>;
}

/** Nobody reads more lines of a day, and they are all in memory at once. */
const MAX_LINES_OF_DAY = 50_000;

type Row = Omit<UsageLine, 'cost' | 'tags'> & { cost: string; tags: string | null };

export function createUsageLines(db: Database): UsageLines {
  return {
    async lines(filter) {
      const { where, values } = usageConditions(filter);
      const rows = await db.query<Row>(
        `select key_id as "keyId", model, endpoint, ${TAGS_COLUMN}::text as tags, count(*)::float8 as requests,
           (count(*) filter (where state in ('failed', 'refused', 'interrupted')))::float8 as errors,
           coalesce(sum(input_tokens), 0)::float8 as "inputTokens", coalesce(sum(${CACHED_TOKENS}), 0)::float8 as "cachedTokens",
           coalesce(sum(output_tokens), 0)::float8 as "outputTokens", coalesce(sum(cost), 0)::text as cost
         from request_log where ${where} group by 1, 2, 3, 4 order by 1, 2, 3, 4 limit ${MAX_LINES_OF_DAY + 1}`,
        values,
      );
      if (rows.length > MAX_LINES_OF_DAY) return undefined;
      return rows.map(({ cost, tags, ...row }) => ({
        ...row,
        cost: BigInt(cost),
        tags: tags === null ? [] : (parseTrustedJson(tags) as string[]),
      }));
    },
  };
}
