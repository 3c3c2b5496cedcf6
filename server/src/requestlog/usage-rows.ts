/** Sums of the request log and of its roll-up by day, in the database. */
import { column, notNull, orNull, type Queryable, type RowOf, statement, statementFor } from '../platform/db/index.ts';
import { ASKED_CACHE, CACHE_SAVED, CACHED_TOKENS, escapedText, TAGS_COLUMN, USER_COLUMN } from './detail-sql.ts';
import type { UsageFilter, UsageGrouping } from './request-filter.ts';
import { roundedMs, type SumPart, tookSql } from './usage-sums.ts';

/**
 * A key counts for the member who made it; the playground's, which all members share, counts for nobody in particular.
 */
const MAKER = `case when purpose = 'playground' then 'playground' when created_by is null then 'unknown'
  when created_by like 'person:%' or created_by like 'management-key:%' then created_by else 'service' end`;
const MAKERS = `left join (select id as made_key, ${MAKER} as maker from api_key where account_id = $1) made on made_key = key_id`;
const EACH_TAG = `cross join lateral jsonb_array_elements_text(${TAGS_COLUMN}) as each_tag (tag)`;
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

const COUNTS = `count(*)::float8 as requests,
  (count(*) filter (where state in ('failed', 'refused', 'interrupted')))::float8 as errors,
  coalesce(sum(input_tokens), 0)::float8 as "inputTokens", coalesce(sum(${CACHED_TOKENS}), 0)::float8 as "cachedTokens",
  coalesce(sum(output_tokens), 0)::float8 as "outputTokens", coalesce(sum(cost), 0)::text as cost,
  coalesce(sum(${CACHE_SAVED}), 0)::text as saved, count(${ASKED_CACHE})::float8 as "cacheAsked",
  (count(*) filter (where (${ASKED_CACHE}) in ('hit', 'joined')))::float8 as "cacheHits"`;
const SUMS = `${COUNTS},
  percentile_disc(0.5) within group (order by duration_ms)::float8 as "p50Ms",
  percentile_disc(0.95) within group (order by duration_ms)::float8 as "p95Ms"`;

const countRow = {
  requests: column.float,
  errors: column.float,
  inputTokens: column.float,
  cachedTokens: column.float,
  outputTokens: column.float,
  cost: column.text,
  saved: column.text,
  cacheAsked: column.float,
  cacheHits: column.float,
};

const sumRow = {
  ...countRow,
  p50Ms: orNull(column.float),
  p95Ms: orNull(column.float),
};
type SumRow = RowOf<typeof sumRow>;

const readSum = <T extends SumRow>(row: T): Omit<T, 'cost' | 'saved'> & { cost: bigint; saved: bigint } => ({
  ...row,
  cost: BigInt(row.cost),
  saved: BigInt(row.saved),
  // Rounded as sums with the archive are, because what a page says must not change when a day moves there.
  p50Ms: row.p50Ms === null ? null : roundedMs(row.p50Ms),
  p95Ms: row.p95Ms === null ? null : roundedMs(row.p95Ms),
});

export const partRow = { value: notNull(column.text), tookMs: column.float, ...countRow };
type Told<Row> = { [Name in keyof Row]: Row[Name] extends number ? number | string : Row[Name] };

/** Numbers may come as texts, as other databases return them. */
export const readPart = (row: Told<RowOf<typeof partRow>>): SumPart => ({
  value: row.value,
  tookMs: Number(row.tookMs),
  requests: Number(row.requests),
  errors: Number(row.errors),
  inputTokens: Number(row.inputTokens),
  cachedTokens: Number(row.cachedTokens),
  outputTokens: Number(row.outputTokens),
  cacheAsked: Number(row.cacheAsked),
  cacheHits: Number(row.cacheHits),
  cost: BigInt(row.cost),
  saved: BigInt(row.saved),
});

function usageConditions(filter: UsageFilter): { where: string; values: unknown[] } {
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

/** Every condition at once, for the test of all statements. */
const SAMPLE = usageConditions({
  accountId: '',
  from: 0,
  to: 0,
  keyId: '',
  member: '',
  model: '',
  endpoint: '',
  user: '',
  tag: '',
});

const startOf = (span: 'hour' | 'day', zone: string) =>
  `round(extract(epoch from (date_trunc('${span}', created_at at time zone ${zone}) at time zone ${zone})) * 1000)`;

const SUMS_OF_SPANS = statementFor(
  { start: column.float, ...sumRow },
  (span: 'hour' | 'day', zone: string, where: string) =>
    `select ${startOf(span, zone)}::float8 as start, ${SUMS} from request_log where ${where} group by 1 order by 1 limit 10000`,
  ['hour', `$${SAMPLE.values.length + 1}`, SAMPLE.where],
  ['day', `$${SAMPLE.values.length + 1}`, SAMPLE.where],
);

export async function sumsOfSpans(db: Queryable, filter: UsageFilter, span: 'hour' | 'day', timeZone: string) {
  const { where, values } = usageConditions(filter);
  const found = SUMS_OF_SPANS(span, `$${values.length + 1}`, where);
  return (await found.rows(db, [...values, timeZone])).map(readSum);
}

const SUMS_OF_GROUPS = statementFor(
  { value: notNull(column.text), ...sumRow },
  (by: UsageGrouping, where: string, limit: number) =>
    `select ${GROUP_COLUMN[by]} as value, ${SUMS} from request_log ${JOINED[by] ?? ''} where ${where} and ${GROUP_COLUMN[by]} is not null
      group by 1 order by coalesce(sum(cost), 0) desc, count(*) desc, 1 limit ${Math.trunc(limit)}`,
  ...Object.keys(GROUP_COLUMN).map((by): [UsageGrouping, string, number] => [by as UsageGrouping, SAMPLE.where, 1]),
);

export async function sumsOfGroups(db: Queryable, filter: UsageFilter, by: UsageGrouping, limit: number) {
  const { where, values } = usageConditions(filter);
  return (await SUMS_OF_GROUPS(by, where, limit).rows(db, values)).map(readSum);
}

const SUM_OF_ALL = statementFor(sumRow, (where: string) => `select ${SUMS} from request_log where ${where}`, [
  SAMPLE.where,
]);

export async function sumOfAll(db: Queryable, filter: UsageFilter) {
  const { where, values } = usageConditions(filter);
  return readSum(await SUM_OF_ALL(where).only(db, values));
}

const PARTS = statementFor(
  partRow,
  (value: string, from: string, where: string, most: number) =>
    `select ${value} as value, ${tookSql('duration_ms')}::float8 as "tookMs", ${COUNTS} from request_log ${from} where ${where}
      and ${value} is not null group by 1, 2 limit ${Math.trunc(most)}`,
  [`''::text`, '', SAMPLE.where, 1],
  [`${startOf('day', `$${SAMPLE.values.length + 1}`)}::text`, '', SAMPLE.where, 1],
  ...Object.entries(GROUP_COLUMN).map(([by, value]): [string, string, string, number] => [
    value,
    JOINED[by as UsageGrouping] ?? '',
    SAMPLE.where,
    1,
  ]),
);

export type PartsBy = UsageGrouping | 'all' | { span: 'hour' | 'day'; timeZone: string };

/** Parts of the log, for sums to which the archive adds its own parts. */
export async function partsOfLog(db: Queryable, filter: UsageFilter, by: PartsBy, most: number): Promise<SumPart[]> {
  const { where, values } = usageConditions(filter);
  if (typeof by !== 'string') {
    const start = `${startOf(by.span, `$${values.length + 1}`)}::text`;
    return (await PARTS(start, '', where, most).rows(db, [...values, by.timeZone])).map(readPart);
  }
  const value = by === 'all' ? `''::text` : GROUP_COLUMN[by];
  const from = by === 'all' ? '' : (JOINED[by] ?? '');
  return (await PARTS(value, from, where, most).rows(db, values)).map(readPart);
}

/** $1 account. */
export const MAKERS_OF_KEYS = statement(
  { id: column.text, maker: column.text },
  `select id, ${MAKER} as maker from api_key where account_id = $1`,
);

const LINES_OF_USAGE = statementFor(
  {
    keyId: column.text,
    model: column.text,
    endpoint: column.text,
    tags: orNull(column.text),
    requests: column.float,
    errors: column.float,
    inputTokens: column.float,
    cachedTokens: column.float,
    outputTokens: column.float,
    cost: column.text,
  },
  (where: string, limit: number) =>
    `select key_id as "keyId", model, endpoint, ${TAGS_COLUMN}::text as tags, count(*)::float8 as requests,
       (count(*) filter (where state in ('failed', 'refused', 'interrupted')))::float8 as errors,
       coalesce(sum(input_tokens), 0)::float8 as "inputTokens", coalesce(sum(${CACHED_TOKENS}), 0)::float8 as "cachedTokens",
       coalesce(sum(output_tokens), 0)::float8 as "outputTokens", coalesce(sum(cost), 0)::text as cost
     from request_log where ${where} group by 1, 2, 3, 4 order by 1, 2, 3, 4 limit ${limit}`,
  [SAMPLE.where, 1],
);

export function linesOfUsage(db: Queryable, filter: UsageFilter, limit: number) {
  const { where, values } = usageConditions(filter);
  return LINES_OF_USAGE(where, limit).rows(db, values);
}

export const KEYS_LAST_USED = statement(
  { key_id: column.text, last_at: orNull(column.timestamp) },
  'select key_id, max(last_at) as last_at from usage_daily where account_id = $1 group by key_id',
);

export const CHARGED_TO_ACCOUNT = statement(
  { cost: column.text },
  'select coalesce(sum(cost), 0)::text as cost from usage_daily where account_id = $1',
);

/** $1 account, $2 key, $3 today. */
export const CHARGED_TO_KEY = statement(
  { total: column.text, day: column.text, week: column.text, month: column.text },
  `select coalesce(sum(cost), 0)::text as total,
  coalesce(sum(cost) filter (where day >= $3::date), 0)::text as day,
  coalesce(sum(cost) filter (where day >= date_trunc('week', $3::date)), 0)::text as week,
  coalesce(sum(cost) filter (where day >= date_trunc('month', $3::date)), 0)::text as month
  from usage_daily where account_id = $1 and key_id = $2`,
);

const MAX_USAGE_ROWS = 20_000;

/** $1 an account, or null for all; $2 and $3 the first and the last day. */
export const USAGE_OF_DAYS = statement(
  {
    accountId: column.text,
    day: column.text,
    keyId: column.text,
    model: column.text,
    requests: column.float,
    refused: column.float,
    inputTokens: column.float,
    outputTokens: column.float,
    cost: column.text,
  },
  `select account_id as "accountId", day::text as day, key_id as "keyId", model, requests::float8 as requests, refused::float8 as refused,
     input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::text as cost
   from usage_daily where ($1::text is null or account_id = $1) and day between $2::date and $3::date
   order by day, account_id, key_id, model limit ${MAX_USAGE_ROWS}`,
);
