/**
 * An archive in ClickHouse, by its official client, which is loaded only where an archive is configured. A day is a partition, so
 * that forgetting or beginning it anew costs nothing; lines are compressed, since those of one key are nearly alike.
 */
import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import type { RequestFilter } from '../request-filter.ts';
import { type ArchivedRow, type ArchivePage, type LogArchive, MODULUS } from './log-archive.ts';

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
  state LowCardinality(String),
  error_code LowCardinality(String),
  end_user String,
  tags Array(LowCardinality(String)),
  cost Decimal(38, 0),
  duration_ms Int64,
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
      // A stream: what is made into JSON at once would hold everybody else up.
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
    // One by id: a process that was thought dead may have written after another had begun anew.
    async list(filter, page) {
      const { where, values } = conditions(filter, page);
      const query = `select line from ${TABLE} where ${where} order by id desc limit 1 by id limit ${Math.trunc(page.limit)}`;
      return (await ask<{ line: string }>(query, values)).map(({ line }) => line);
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
      state: row.state,
      error_code: row.errorCode,
      end_user: row.user,
      tags: row.tags,
      cost: String(row.cost),
      duration_ms: row.durationMs,
      line: row.line,
    };
}

function conditions(filter: RequestFilter, { before, from, to }: ArchivePage) {
  const parts = ['day >= {fromDay:Date}', 'day <= {toDay:Date}'];
  const values: Record<string, unknown> = { fromDay: from, toDay: to };
  const add = (condition: string, name: string, value: unknown) => {
    if (value === undefined) return;
    parts.push(condition);
    values[name] = value;
  };
  add('account_id = {account:String}', 'account', filter.accountId);
  add('key_id = {key:String}', 'key', filter.keyId);
  add('model = {model:String}', 'model', filter.model);
  add('endpoint = {endpoint:String}', 'endpoint', filter.endpoint);
  add('state = {state:String}', 'state', filter.state);
  add('error_code = {error:String}', 'error', filter.errorCode);
  add('end_user = {user:String}', 'user', filter.user);
  add('has(tags, {tag:String})', 'tag', filter.tag);
  add('created_ms >= {fromMs:Int64}', 'fromMs', filter.from);
  add('created_ms < {toMs:Int64}', 'toMs', filter.to);
  add('cost > {over:Decimal(38, 0)}', 'over', filter.costOver?.toString());
  add('duration_ms > {slower:Int64}', 'slower', filter.slowerThanMs);
  add('id < {before:String}', 'before', before);
  return { where: parts.join(' and '), values };
}

function checkedDay(day: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new Error(`"${day}" is no day`);
  return day;
}
