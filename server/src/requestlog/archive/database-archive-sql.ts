/**
 * The statements of an archive in a PostgreSQL database. Its table is made by MAKE_TABLE in a database of its own and by no migration;
 * the test of all statements makes it before it describes these.
 */
import { adder, type Conditions, joined } from '../../platform/db/conditions.ts';
import { column, command, script, statement, statementFor } from '../../platform/db/index.ts';
import type { WideFilter } from '../request-filter.ts';
import { partRow } from '../usage-rows.ts';
import { tookSql } from '../usage-sums.ts';
import { type ArchivePage, MAX_PARTS, MODULUS, type SumsBy, type SumsQuestion } from './log-archive.ts';

export const MAKE_TABLE = script(`
create table if not exists request_log_archive (
  day date not null,
  id text not null,
  created_ms bigint not null,
  account_id text not null,
  key_id text not null,
  endpoint text not null,
  model text not null,
  provider text not null,
  state text not null,
  error_code text not null,
  end_user text not null,
  tags text[] not null,
  cost numeric(38, 0) not null,
  duration_ms bigint not null,
  input_tokens bigint not null,
  cached_tokens bigint not null,
  output_tokens bigint not null,
  cache_answer text not null,
  saved numeric(38, 0) not null,
  line text not null,
  primary key (day, id)
);
create index if not exists request_log_archive_account on request_log_archive (account_id, id)`);

/** $1 day, then arrays of the columns; tags come as JSON, amounts as texts. */
export const ADD_ROWS = command(
  `
insert into request_log_archive (day, id, created_ms, account_id, key_id, endpoint, model, provider, state, error_code, end_user, tags, cost,
  duration_ms, input_tokens, cached_tokens, output_tokens, cache_answer, saved, line)
select $1::date, id, created_ms, account_id, key_id, endpoint, model, provider, state, error_code, end_user,
  array(select jsonb_array_elements_text(tags::jsonb)), cost::numeric, duration_ms, input_tokens, cached_tokens, output_tokens, cache_answer,
  saved::numeric, line
from unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
  $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::text[], $19::text[], $20::text[])
  as given (id, created_ms, account_id, key_id, endpoint, model, provider, state, error_code, end_user, tags, cost, duration_ms, input_tokens,
    cached_tokens, output_tokens, cache_answer, saved, line)`,
);

const bits = (from: number) => `('x' || substr(hex, ${from}, 8))::bit(32)::bigint`;
export const DIGEST_OF_DAY = statement(
  { rows: column.float, digest: column.text },
  `
select count(*)::float8 as rows, coalesce(sum(${bits(1)}) % ${MODULUS}, 0) || '-' || coalesce(sum(${bits(9)}) % ${MODULUS}, 0) as digest
from request_log_archive cross join lateral (select encode(sha256(convert_to(line, 'UTF8')), 'hex') as hex offset 0) as hashed
where day = $1::date`,
);

export const DROP_DAY = command('delete from request_log_archive where day = $1::date');

export const FIND_LINE = statement(
  { line: column.text },
  'select line from request_log_archive where day = $1::date and id = $2',
);

const EVERY_FILTER: Required<WideFilter> = {
  accountId: '',
  keyId: '',
  model: '',
  provider: '',
  endpoint: '',
  state: 'failed',
  errorCode: '',
  user: '',
  tag: '',
  from: 0,
  to: 0,
  costOver: 0n,
  slowerThanMs: 0,
  idBegins: '',
};

export const LIST_LINES = statementFor(
  { line: column.text },
  (where: string, limit: number) =>
    `select line from request_log_archive ${where} order by id desc limit ${Math.trunc(limit)}`,
  [joined([listConditions(EVERY_FILTER, { from: '', to: '', before: '', limit: 1 })]).text, 1],
);

export function listConditions(filter: WideFilter, { before, from, to }: ArchivePage): Conditions {
  const found: Conditions = { parts: ['day >= §::date', 'day <= §::date'], values: [from, to] };
  const add = adder(found);
  add('account_id = ?', filter.accountId);
  add('key_id = ?', filter.keyId);
  add('model = ?', filter.model);
  add('provider = ?', filter.provider);
  add('endpoint = ?', filter.endpoint);
  add('state = ?', filter.state);
  add('error_code = ?', filter.errorCode);
  add('end_user = ?', filter.user);
  add('? = any(tags)', filter.tag);
  add('created_ms >= ?', filter.from);
  add('created_ms < ?', filter.to);
  add('cost > ?::numeric', filter.costOver?.toString());
  add('duration_ms > ?', filter.slowerThanMs);
  add('id < ?', before);
  if (filter.idBegins !== undefined) {
    add('id >= ?', filter.idBegins);
    add('id < ?', `${filter.idBegins}~`);
  }
  return found;
}

const GROUPS: Readonly<Record<Extract<SumsBy, string>, string>> = {
  model: 'model',
  key: 'key_id',
  endpoint: 'endpoint',
  user: `nullif(end_user, '')`,
  tag: 'tag',
  state: 'state',
  error: `nullif(error_code, '')`,
  line: 'jsonb_build_array(key_id, model, endpoint, to_jsonb(tags))::text',
  all: `''::text`,
};

/** What is summed for each group, and from where. `zone` is the parameter that names the time zone. */
export function groupedBy(by: SumsBy, zone: string): { value: string; from: string } {
  if (typeof by === 'string')
    return { value: GROUPS[by], from: by === 'tag' ? 'cross join unnest(tags) as each_tag (tag)' : '' };
  const start = `date_trunc('${by.span}', to_timestamp(created_ms / 1000.0) at time zone ${zone}) at time zone ${zone}`;
  return { value: `round(extract(epoch from (${start})) * 1000)::text`, from: '' };
}

export const SUM_PARTS = statementFor(
  partRow,
  ({ value, from }: { value: string; from: string }, where: string, isTimed: boolean) => `
select ${value} as value, ${isTimed ? tookSql('duration_ms') : '0'}::float8 as "tookMs", count(*)::float8 as requests,
  (count(*) filter (where state in ('failed', 'refused', 'interrupted')))::float8 as errors, sum(input_tokens)::float8 as "inputTokens",
  sum(cached_tokens)::float8 as "cachedTokens", sum(output_tokens)::float8 as "outputTokens", sum(cost)::text as cost, sum(saved)::text as saved,
  (count(*) filter (where cache_answer <> ''))::float8 as "cacheAsked",
  (count(*) filter (where cache_answer in ('hit', 'joined')))::float8 as "cacheHits"
from request_log_archive ${from} ${where} and ${value} is not null group by 1, 2 limit ${MAX_PARTS + 1}`,
  ...sumSamples(),
);

function sumSamples(): [{ value: string; from: string }, string, boolean][] {
  const question = { accountId: '', from: 0, to: 0, keyIds: [''], model: '', endpoint: '', user: '', tag: '' };
  const { text, values } = joined([sumConditions({ by: 'all', days: { from: '', to: '' }, ...question })]);
  const groups = [{ span: 'day' as const, timeZone: 'UTC' }, ...(Object.keys(GROUPS) as (keyof typeof GROUPS)[])];
  const sampleOf = (by: SumsBy): [{ value: string; from: string }, string, boolean] => [
    groupedBy(by, `$${values.length + 1}`),
    text,
    by !== 'line',
  ];
  return [sampleOf('all'), ...groups.map(sampleOf)];
}

export function sumConditions(question: SumsQuestion): Conditions {
  const { days, keyIds } = question;
  const found: Conditions = { parts: ['day >= §::date', 'day <= §::date'], values: [days.from, days.to] };
  const add = adder(found);
  add('account_id = ?', question.accountId);
  add('created_ms >= ?', question.from);
  add('created_ms < ?', question.to);
  add('key_id = any(?::text[])', keyIds);
  add('model = ?', question.model);
  add('endpoint = ?', question.endpoint);
  add('end_user = ?', question.user);
  add('? = any(tags)', question.tag);
  found.parts.push(`state <> 'running'`);
  return found;
}
