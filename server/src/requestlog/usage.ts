/** Sums of the request log for usage pages: over time in the account's own zone, and by what was used. */
import { type Money, money } from '../core/money.ts';
import type { Database } from '../platform/db/database.ts';

export interface UsageFilter {
  accountId: string;
  /** Milliseconds since 1970; `from` is included, `to` is not. */
  from: number;
  to: number;
  keyId?: string | undefined;
  /** Whoever made the keys, as `member` of a breakdown names them. */
  member?: string | undefined;
  model?: string | undefined;
  endpoint?: string | undefined;
  user?: string | undefined;
  tag?: string | undefined;
}

export interface UsageSum {
  requests: number;
  errors: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** Requests that asked the response cache, and those of them that it answered. */
  cacheAsked: number;
  cacheHits: number;
  /** Micro-toman. */
  cost: bigint;
  /** What the response cache and prompt caches saved; below zero while more was written than read. */
  saved: bigint;
  p50Ms: number | null;
  p95Ms: number | null;
}

export const NO_USAGE: UsageSum = {
  requests: 0,
  errors: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  cacheAsked: 0,
  cacheHits: 0,
  cost: 0n,
  saved: 0n,
  p50Ms: null,
  p95Ms: null,
};

export type UsageGrouping = 'model' | 'key' | 'member' | 'endpoint' | 'user' | 'tag' | 'state' | 'error';

/** The detail begins with the end user, where there is one, so nothing that a caller writes can come before it. */
export const USER_COLUMN = `substring(detail from '^\\{"user":"((?:[^"\\\\]|\\\\.)*)"')`;
/** The tags of a request as JSON; null where it has none. They come right after the end user, so nothing that a caller writes can be taken for them. */
export const TAGS_COLUMN = `(substring(detail from '^\\{(?:"user":"(?:[^"\\\\]|\\\\.)*",)?"tags":(\\[(?:"(?:[^"\\\\]|\\\\.)*",?)*\\])'))::jsonb`;
const EACH_TAG = `cross join lateral jsonb_array_elements_text(${TAGS_COLUMN}) as each_tag (tag)`;
export const CACHED_TOKENS = `substring(detail from '"cacheRead":(\\d{1,12})')::bigint`;
/**
 * Inside of a text every quotation mark is escaped, so nothing that a caller writes can be taken for these. Most rows have neither,
 * and looking for a word is much cheaper than for a pattern.
 */
const whereThere = (field: string, pattern: string) =>
  `case when strpos(detail, '"${field}":') > 0 then substring(detail from '"${field}":"?(${pattern})') end`;
const ASKED_CACHE = whereThere('responseCache', '[a-z]{3,6}');
const CACHE_SAVED = `(${whereThere('cacheSaved', '-?\\d{1,18}')})::numeric`;
/** A key counts for its maker; the playground's, which all members share, for nobody in particular. */
const MAKER = `case when purpose = 'playground' then 'playground' when created_by is null then 'unknown'
  when created_by like 'person:%' or created_by like 'management-key:%' then created_by else 'service' end`;
const MAKERS = `left join (select id as made_key, ${MAKER} as maker from api_key where account_id = $1) made on made_key = key_id`;
const GROUP_COLUMN: Record<UsageGrouping, string> = {
  model: 'model',
  key: 'key_id',
  member: 'maker',
  endpoint: 'endpoint',
  user: USER_COLUMN,
  tag: 'tag',
  state: 'state',
  error: 'error_code',
};

const JOINED: Partial<Record<UsageGrouping, string>> = { member: MAKERS, tag: EACH_TAG };

const SUMS = `count(*)::float8 as requests,
  (count(*) filter (where state in ('failed', 'refused', 'interrupted')))::float8 as errors,
  coalesce(sum(input_tokens), 0)::float8 as "inputTokens", coalesce(sum(${CACHED_TOKENS}), 0)::float8 as "cachedTokens",
  coalesce(sum(output_tokens), 0)::float8 as "outputTokens", coalesce(sum(cost), 0)::text as cost,
  coalesce(sum(${CACHE_SAVED}), 0)::text as saved, count(${ASKED_CACHE})::float8 as "cacheAsked",
  (count(*) filter (where (${ASKED_CACHE}) in ('hit', 'joined')))::float8 as "cacheHits",
  percentile_disc(0.5) within group (order by duration_ms)::float8 as "p50Ms",
  percentile_disc(0.95) within group (order by duration_ms)::float8 as "p95Ms"`;

type SumRow = Omit<UsageSum, 'cost' | 'saved'> & { cost: string; saved: string };

const read = <T extends SumRow>(row: T): Omit<T, 'cost' | 'saved'> & { cost: bigint; saved: bigint } => ({
  ...row,
  cost: BigInt(row.cost),
  saved: BigInt(row.saved),
});

export interface UsageReports {
  /** Only spans in which something happened; `start` is the span's beginning in the given zone. */
  series(filter: UsageFilter, span: 'hour' | 'day', timeZone: string): Promise<(UsageSum & { start: number })[]>;
  breakdown(filter: UsageFilter, by: UsageGrouping, limit: number): Promise<(UsageSum & { value: string })[]>;
  total(filter: UsageFilter): Promise<UsageSum>;
  /** By key, as RFC 3339; refused calls count too, for somebody has its secret. */
  lastUsed(accountId: string): Promise<ReadonlyMap<string, string>>;
  /** All that the account was ever charged. */
  charged(accountId: string): Promise<Money>;
  /** What a key was ever charged, and since the day, the week and the month of this moment began (UTC). */
  chargedToKey(accountId: string, keyId: string, nowMs: number): Promise<KeyCharges>;
}

export type KeyCharges = Record<'total' | 'day' | 'week' | 'month', Money>;

const KEY_CHARGES = `select coalesce(sum(cost), 0)::text as total,
  coalesce(sum(cost) filter (where day >= $3::date), 0)::text as day,
  coalesce(sum(cost) filter (where day >= date_trunc('week', $3::date)), 0)::text as week,
  coalesce(sum(cost) filter (where day >= date_trunc('month', $3::date)), 0)::text as month
  from usage_daily where account_id = $1 and key_id = $2`;

export function createUsageReports(db: Database): UsageReports {
  return {
    async series(filter, span, timeZone) {
      const { where, values } = usageConditions(filter);
      const zone = `$${values.length + 1}`;
      const rows = await db.query<SumRow & { start: number }>(
        `select round(extract(epoch from (date_trunc('${span}', created_at at time zone ${zone}) at time zone ${zone})) * 1000)::float8 as start,
                ${SUMS} from request_log where ${where} group by 1 order by 1 limit 10000`,
        [...values, timeZone],
      );
      return rows.map(read);
    },
    async breakdown(filter, by, limit) {
      const { where, values } = usageConditions(filter);
      const column = GROUP_COLUMN[by];
      const rows = await db.query<SumRow & { value: string }>(
        `select ${column} as value, ${SUMS} from request_log ${JOINED[by] ?? ''} where ${where} and ${column} is not null
          group by 1 order by coalesce(sum(cost), 0) desc, count(*) desc, 1 limit ${Math.trunc(limit)}`,
        values,
      );
      return rows.map(read);
    },
    async lastUsed(accountId) {
      const rows = await db.query<{ key_id: string; last_at: Date | null }>(
        'select key_id, max(last_at) as last_at from usage_daily where account_id = $1 group by key_id',
        [accountId],
      );
      return new Map(
        rows.flatMap(({ key_id, last_at }) => (last_at === null ? [] : [[key_id, last_at.toISOString()]])),
      );
    },
    async charged(accountId) {
      const [row] = await db.query<{ cost: string }>(
        'select coalesce(sum(cost), 0)::text as cost from usage_daily where account_id = $1',
        [accountId],
      );
      return money(BigInt(row?.cost ?? 0));
    },
    async chargedToKey(accountId, keyId, nowMs) {
      const today = new Date(nowMs).toISOString().slice(0, 10);
      const [row] = await db.query<Record<keyof KeyCharges, string>>(KEY_CHARGES, [accountId, keyId, today]);
      const sum = (span: keyof KeyCharges): Money => money(BigInt(row?.[span] ?? 0));
      return { total: sum('total'), day: sum('day'), week: sum('week'), month: sum('month') };
    },
    async total(filter) {
      const { where, values } = usageConditions(filter);
      const [row] = await db.query<SumRow>(`select ${SUMS} from request_log where ${where}`, values);
      return row ? read(row) : NO_USAGE;
    },
  };
}

export function usageConditions(filter: UsageFilter): { where: string; values: unknown[] } {
  const parts = ['account_id = $1', 'created_at >= $2', 'created_at < $3', "state <> 'running'"];
  const values: unknown[] = [filter.accountId, new Date(filter.from), new Date(filter.to)];
  const add = (column: string, value: string | undefined) => {
    if (value === undefined) return;
    values.push(value);
    parts.push(`${column} = $${values.length}`);
  };
  add('key_id', filter.keyId);
  if (filter.member !== undefined) {
    values.push(filter.member);
    parts.push(`key_id in (select id from api_key where account_id = $1 and ${MAKER} = $${values.length})`);
  }
  add('model', filter.model);
  add('endpoint', filter.endpoint);
  add(USER_COLUMN, filter.user === undefined ? undefined : escapedText(filter.user));
  if (filter.tag !== undefined) {
    values.push(filter.tag);
    parts.push(`jsonb_exists(${TAGS_COLUMN}, $${values.length})`);
  }
  return { where: parts.join(' and '), values };
}

/** A text as it is written inside the detail. */
export function escapedText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
