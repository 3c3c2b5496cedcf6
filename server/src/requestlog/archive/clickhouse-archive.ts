/**
 * An archive in ClickHouse, by its official client, which is loaded only where an archive is configured. A day is a
 * partition, so that dropping it or writing it again costs nothing; lines are compressed, since those of one key are
 * nearly alike.
 */
import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import type { WideFilter } from '../request-filter.ts';
import { readPart } from '../usage-rows.ts';
import { type SumPart, tookSql } from '../usage-sums.ts';
import {
  type ArchivedRow,
  type ArchivePage,
  type LogArchive,
  MAX_PARTS,
  MODULUS,
  type SumsBy,
  type SumsQuestion,
} from './log-archive.ts';

const TABLE = 'dargah_request_log';
const TIMEOUT_MS = 60_000;

const MAKE_TABLE = `create table if not exists ${TABLE} (
  day Date,
  id String,
  created_ms Int64,
  account_id LowCardinality(String),
  key_id LowCardinality(String),
  endpoint LowCardinality(String),
  model LowCardinality(String),
  provider LowCardinality(String),
  state LowCardinality(String),
  error_code LowCardinality(String),
  end_user String,
  tags Array(LowCardinality(String)),
  cost Decimal(38, 0),
  duration_ms Int64,
  input_tokens Int64,
  cached_tokens Int64,
  output_tokens Int64,
  cache_answer LowCardinality(String),
  saved Decimal(38, 0),
  line String codec(ZSTD(3)),
  index by_id id type bloom_filter granularity 4
) engine = MergeTree partition by day order by (account_id, id)`;

const bits = (from: number) => `reinterpretAsUInt32(reverse(substring(SHA256(line), ${from}, 4)))`;
const DIGEST_OF_DAY = `select toString(count()) as rows,
  concat(toString(sum(${bits(1)}) % ${MODULUS}), '-', toString(sum(${bits(5)}) % ${MODULUS})) as digest
  from ${TABLE} where day = {day:Date}`;

export async function openClickHouseArchive(url: string): Promise<LogArchive> {
  const { createClient } = await import('@clickhouse/client');
  const client = createClient({ url, application: 'dargah', request_timeout: TIMEOUT_MS });
  return createClickHouseArchive(client);
}

function createClickHouseArchive(client: ClickHouseClient): LogArchive {
  const ask = async <Row>(query: string, values: Record<string, unknown>): Promise<Row[]> => {
    const result = await client.query({ query, query_params: values, format: 'JSONEachRow' });
    return result.json<Row>();
  };
  return {
    async prepare() {
      await client.command({ query: MAKE_TABLE });
    },
    async write(day, rows) {
      // Sent as a stream, because encoding all rows at once would block the event loop.
      await client.insert({ table: TABLE, format: 'JSONEachRow', values: Readable.from(toColumns(day, rows)) });
    },
    async digest(day) {
      const [row] = await ask<{ rows: string; digest: string }>(DIGEST_OF_DAY, { day });
      return { rows: Number(row?.rows ?? 0), digest: row?.digest ?? '0-0' };
    },
    async drop(day) {
      await client.command({ query: `alter table ${TABLE} drop partition '${checkedDay(day)}'` });
    },
    async find(day, id) {
      const [row] = await ask<{ line: string }>(
        `select line from ${TABLE} where day = {day:Date} and id = {id:String} limit 1`,
        { day, id },
      );
      return row?.line;
    },
    // One row per id, because a process that was thought dead may have written after another had begun again.
    async list(filter, page) {
      const { where, values } = conditions(filter, page);
      const query = `select line from ${TABLE} where ${where} order by id desc limit 1 by id limit ${Math.trunc(page.limit)}`;
      return (await ask<{ line: string }>(query, values)).map(({ line }) => line);
    },
    async sums(question) {
      const { where, values } = sumConditions(question);
      return (await ask<Record<keyof SumPart, string>>(sumsOf(question.by, where), values)).map(readPart);
    },
    close: () => client.close(),
  };
}

function* toColumns(day: string, rows: readonly ArchivedRow[]): Generator<Record<string, unknown>> {
  for (const row of rows)
    yield {
      day,
      id: row.id,
      created_ms: row.createdAt,
      account_id: row.accountId,
      key_id: row.keyId,
      endpoint: row.endpoint,
      model: row.model,
      provider: row.provider,
      state: row.state,
      error_code: row.errorCode,
      end_user: row.user,
      tags: row.tags,
      cost: String(row.cost),
      duration_ms: row.durationMs,
      input_tokens: row.inputTokens,
      cached_tokens: row.cachedTokens,
      output_tokens: row.outputTokens,
      cache_answer: row.cacheAnswer,
      saved: String(row.saved),
      line: row.line,
    };
}

interface Where {
  where: string;
  values: Record<string, unknown>;
}

function conditionsOf(given: readonly [condition: string, name: string, value: unknown][]): Where {
  const known = given.filter(([, , value]) => value !== undefined);
  return {
    where: known.map(([condition]) => condition).join(' and '),
    values: Object.fromEntries(known.map(([, name, value]) => [name, value])),
  };
}

function conditions(filter: WideFilter, { before, from, to }: ArchivePage): Where {
  const { idBegins } = filter;
  return conditionsOf([
    ['day >= {fromDay:Date}', 'fromDay', from],
    ['day <= {toDay:Date}', 'toDay', to],
    ['account_id = {account:String}', 'account', filter.accountId],
    ['key_id = {key:String}', 'key', filter.keyId],
    ['model = {model:String}', 'model', filter.model],
    ['provider = {provider:String}', 'provider', filter.provider],
    ['endpoint = {endpoint:String}', 'endpoint', filter.endpoint],
    ['state = {state:String}', 'state', filter.state],
    ['error_code = {error:String}', 'error', filter.errorCode],
    ['end_user = {user:String}', 'user', filter.user],
    ['has(tags, {tag:String})', 'tag', filter.tag],
    ['created_ms >= {fromMs:Int64}', 'fromMs', filter.from],
    ['created_ms < {toMs:Int64}', 'toMs', filter.to],
    ['cost > {over:Decimal(38, 0)}', 'over', filter.costOver?.toString()],
    ['duration_ms > {slower:Int64}', 'slower', filter.slowerThanMs],
    ['id < {before:String}', 'before', before],
    ['startsWith(id, {begins:String})', 'begins', idBegins],
  ]);
}

function sumConditions({ by, days, ...question }: SumsQuestion): Where {
  const { where, values } = conditionsOf([
    ['day >= {fromDay:Date}', 'fromDay', days.from],
    ['day <= {toDay:Date}', 'toDay', days.to],
    ['account_id = {account:String}', 'account', question.accountId],
    ['created_ms >= {fromMs:Int64}', 'fromMs', question.from],
    ['created_ms < {toMs:Int64}', 'toMs', question.to],
    ['has({keys:Array(String)}, key_id)', 'keys', question.keyIds],
    ['model = {model:String}', 'model', question.model],
    ['endpoint = {endpoint:String}', 'endpoint', question.endpoint],
    ['end_user = {user:String}', 'user', question.user],
    ['has(tags, {tag:String})', 'tag', question.tag],
  ]);
  return { where, values: typeof by === 'string' ? values : { ...values, zone: by.timeZone } };
}

const GROUPS: Readonly<Record<Extract<SumsBy, string>, string>> = {
  model: 'model',
  key: 'key_id',
  endpoint: 'endpoint',
  user: 'end_user',
  tag: 'arrayJoin(tags)',
  state: 'state',
  error: 'error_code',
  line: 'toJSONString(tuple(toString(key_id), toString(model), toString(endpoint), tags))',
  all: `''`,
};

function groupOf(by: SumsBy): string {
  if (typeof by === 'string') return GROUPS[by];
  const at = 'toDateTime(intDiv(created_ms, 1000), {zone:String})';
  const start = by.span === 'day' ? `toStartOfDay(${at})` : `toStartOfHour(${at})`;
  return `toString(toInt64(toUnixTimestamp(${start})) * 1000)`;
}

/** One row per id, as in lists. Requests without an end user or an error are in no such group. */
function sumsOf(by: SumsBy, where: string): string {
  const isOptional = by === 'user' || by === 'error';
  return `select toString(${groupOf(by)}) as value, toString(${by === 'line' ? '0' : tookSql('duration_ms')}) as tookMs,
  toString(count()) as requests, toString(countIf(state in ('failed', 'refused', 'interrupted'))) as errors,
  toString(sum(input_tokens)) as inputTokens, toString(sum(cached_tokens)) as cachedTokens, toString(sum(output_tokens)) as outputTokens,
  toString(sum(part.cost)) as cost, toString(sum(part.saved)) as saved, toString(countIf(cache_answer != '')) as cacheAsked,
  toString(countIf(cache_answer in ('hit', 'joined'))) as cacheHits
from (select * except line from ${TABLE} where ${where} and state != 'running' limit 1 by id) as part
group by value, tookMs ${isOptional ? `having value != ''` : ''} limit ${MAX_PARTS + 1}`;
}

function checkedDay(day: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new Error(`"${day}" is no day`);
  return day;
}
