-- The request log: one row per request, made from the table of columns in server/src/requestlog/record-columns.ts.

-- What is filtered, summed or audited stands in columns, the rest (usage, formula, attempts, plan, warnings) in one JSON text.
-- Attempts are not child rows, since they are only ever read with their request and a second table would double the inserts of
-- every posting; and the text is not jsonb, since converting it would cost as much as the rest of the row.
-- Ids begin with the time, so the key also sorts by time.
create table request_log (
  id text not null,
  created_at timestamptz not null,
  account_id text not null,
  key_id text not null,
  endpoint text not null,
  model text not null,
  stream boolean not null,
  price_version text not null,
  -- In the account's own calendar.
  day date not null,
  state text not null,
  error_code text,
  status integer not null,
  provider text,
  -- Names of the spend counters in the short form that spend_counters() reads.
  counters text not null,
  held numeric(38, 0) not null,
  cost numeric(38, 0) not null check (cost >= 0),
  provider_cost numeric(38, 0),
  duration_ms integer not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  detail text not null,
  primary key (id, created_at)
) partition by range (created_at);
create index request_log_account on request_log (account_id, id);
-- Rows of a day without its own partition land here: an insert never fails for want of one.
create table request_log_default partition of request_log default;

-- The spend counters of a request. They are named after its key and its account, which stand beside them in the row, so
-- `*:daily:2026-11-15` is that period's counter of both; any other name is a counter as it stands. Spaces are between them.
create function spend_counters(counters text, key_id text, account_id text) returns setof text language sql immutable as $$
  select budget
  from string_to_table(counters, ' ') as name
  cross join unnest(
    case when name like '*:%'
      then array['cap:key:' || key_id || substr(name, 2), 'cap:account:' || account_id || substr(name, 2)]
      else array[name]
    end) as budget
$$;

-- Requests of days before this one have been dropped; the audit does not look for their rows.
create table request_log_horizon (
  only_row boolean primary key default true check (only_row),
  kept_from timestamptz not null
);

-- What spend counters owe to request rows that retention has dropped, so that the audit can still add them up.
create table spend_carried (
  id text primary key,
  spent numeric(38, 0) not null
);

-- Roll-up for usage pages, written in the posting's own transaction.
create table usage_daily (
  account_id text not null,
  day date not null,
  key_id text not null,
  model text not null,
  requests bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost numeric(38, 0) not null,
  primary key (account_id, day, key_id, model)
) with (fillfactor = 70);
