-- The books, the spend counters and the request log.
-- Money is numeric(38,0) micro-toman: bigint would end at 9.2e12 toman, which the revenue account of a busy year can reach,
-- and an overflow there would stop all posting.

-- One row per party: wallet:<account>, revenue, cash, adjustments, opening, costs, provider:<id>.
-- posted = credits - debits. A wallet's posted is the customer's balance; the sum over all rows is always zero.
create table ledger_account (
  id text primary key,
  posted numeric(38, 0) not null,
  -- Grows with every change, so that an older report never overwrites a newer one.
  version bigint not null
) with (fillfactor = 70);

-- Append-only. No foreign keys: they would cost two look-ups per request; audit() looks for orphans instead.
create table ledger_transfer (
  id text primary key,
  seq bigint generated always as identity,
  debit text not null,
  credit text not null,
  amount numeric(38, 0) not null check (amount > 0),
  kind text not null,
  -- The customer whose wallet moved; null between our own accounts.
  account_id text,
  request_id text,
  price_version text,
  note text,
  created_at timestamptz not null,
  check (debit <> credit)
);
create index ledger_transfer_history on ledger_transfer (account_id, seq) where account_id is not null;
create index ledger_transfer_refunds on ledger_transfer (request_id) where kind = 'refund';

create function ledger_transfer_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'ledger_transfer is append-only: write a correcting transfer instead';
end
$$;
create trigger ledger_transfer_append_only before update or delete or truncate on ledger_transfer
  for each statement execute function ledger_transfer_is_append_only();

-- What was charged against each cap: id is the budget id with its period (cap:key:<id>:daily:2026-11-15).
create table spend_counter (
  id text primary key,
  spent numeric(38, 0) not null,
  version bigint not null
) with (fillfactor = 70);

-- What spend counters owe to request rows that retention has dropped, so that the audit can still add them up.
create table spend_carried (
  id text primary key,
  spent numeric(38, 0) not null
);

-- One row per request: what is filtered, summed or audited as columns, the rest (usage, formula, attempts, plan, warnings) as
-- one JSON text. Attempts are not child rows, since they are only ever read with their request and a second table would double
-- the inserts of every posting; and the text is not jsonb, since converting it would cost as much as the rest of the row.
-- Ids begin with the time, so the key also sorts by time.
create table request_log (
  id text not null,
  created_at timestamptz not null,
  account_id text not null,
  key_id text not null,
  endpoint text not null,
  model text not null,
  stream boolean not null,
  held numeric(38, 0) not null,
  price_version text not null,
  -- In the account's own calendar.
  day date not null,
  state text not null,
  error_code text,
  status integer,
  input_tokens bigint,
  output_tokens bigint,
  cost numeric(38, 0) not null check (cost >= 0),
  provider text,
  provider_cost numeric(38, 0),
  duration_ms integer,
  -- Budget ids of the spend counters, one per line.
  counters text,
  detail text,
  primary key (id, created_at)
) partition by range (created_at);
create index request_log_account on request_log (account_id, id);
-- Rows of a day without its own partition land here: an insert never fails for want of one.
create table request_log_default partition of request_log default;

-- Requests of days before this one have been dropped; the audit does not look for their rows.
create table request_log_horizon (
  only_row boolean primary key default true check (only_row),
  kept_from timestamptz not null
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
