/**
 * The statements of an archive in a PostgreSQL database. Its table is made by MAKE_TABLE in a database of its own and by no migration,
 * so the test of all statements has nothing to describe these by: they are written without samples.
 */
import { adder, type Conditions } from '../../platform/db/conditions.ts';
import { column, commandFor, script, statementFor } from '../../platform/db/index.ts';
import type { RequestFilter } from '../request-filter.ts';
import { type ArchivePage, MODULUS } from './log-archive.ts';

export const MAKE_TABLE = script(`
create table if not exists request_log_archive (
  day date not null,
  id text not null,
  created_ms bigint not null,
  account_id text not null,
  key_id text not null,
  endpoint text not null,
  model text not null,
  state text not null,
  error_code text not null,
  end_user text not null,
  tags text[] not null,
  cost numeric(38, 0) not null,
  duration_ms bigint not null,
  line text not null,
  primary key (day, id)
);
create index if not exists request_log_archive_account on request_log_archive (account_id, id)`);

/** $1 day, then arrays of the columns; tags come as JSON. */
export const ADD_ROWS = commandFor(
  () => `
insert into request_log_archive
select $1::date, id, created_ms, account_id, key_id, endpoint, model, state, error_code, end_user,
  array(select jsonb_array_elements_text(tags::jsonb)), cost::numeric, duration_ms, line
from unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
  $12::text[], $13::bigint[], $14::text[])
  as given (id, created_ms, account_id, key_id, endpoint, model, state, error_code, end_user, tags, cost, duration_ms, line)`,
);

const bits = (from: number) => `('x' || substr(hex, ${from}, 8))::bit(32)::bigint`;
export const DIGEST_OF_DAY = statementFor(
  { rows: column.float, digest: column.text },
  () => `
select count(*)::float8 as rows, coalesce(sum(${bits(1)}) % ${MODULUS}, 0) || '-' || coalesce(sum(${bits(9)}) % ${MODULUS}, 0) as digest
from request_log_archive cross join lateral (select encode(sha256(convert_to(line, 'UTF8')), 'hex') as hex offset 0) as hashed
where day = $1::date`,
);

export const DROP_DAY = commandFor(() => 'delete from request_log_archive where day = $1::date');

export const FIND_LINE = statementFor(
  { line: column.text },
  () => 'select line from request_log_archive where day = $1::date and id = $2',
);

export const LIST_LINES = statementFor(
  { line: column.text },
  (where: string, limit: number) =>
    `select line from request_log_archive ${where} order by id desc limit ${Math.trunc(limit)}`,
);

export function listConditions(filter: RequestFilter, { before, from, to }: ArchivePage): Conditions {
  const found: Conditions = { parts: ['day >= §::date', 'day <= §::date'], values: [from, to] };
  const add = adder(found);
  add('account_id = ?', filter.accountId);
  add('key_id = ?', filter.keyId);
  add('model = ?', filter.model);
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
  return found;
}
