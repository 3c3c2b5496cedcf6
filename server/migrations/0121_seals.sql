-- Days of the books are sealed: what a day holds is added up once, and a fingerprint of its rows is kept (ADR 0039).
-- Nothing here is written while customers wait, except late_request, which is nearly always empty.

-- The day of the service itself, in Tehran; Iran no longer changes its clocks (core/home-zone.ts).
create function home_day(at timestamptz) returns date language sql immutable as $$
  select (at at time zone 'UTC' + interval '3 hours 30 minutes')::date
$$;

-- There is no row until the first day is sealed.
create table ledger_clock (
  only_row    boolean primary key default true check (only_row),
  -- The first day that entries may still be booked on.
  open_from   date not null,
  -- Everything up to this day is sealed; the moment at which the day after it begins, and the smallest id of a request of then.
  sealed_to   date not null,
  unsealed_at timestamptz not null,
  unsealed_id text not null,
  -- The key of the chain of seals, encrypted with the master key.
  chain_key   text not null
);

-- Transfers and request rows that came after their day was sealed: a journal that was found again, a request that ran over it.
create table late_request (
  id        text primary key,
  booked_on date not null
);
create index late_request_of_day on late_request (booked_on, id);

create function note_late_row() returns trigger language plpgsql as $$
begin
  insert into late_request (id, booked_on)
  select new.id, open_from from ledger_clock where home_day(new.created_at) < open_from
  on conflict do nothing;
  return null;
end
$$;
-- A day is sealed four hours after its end at the earliest, so a row of the last three hours cannot be late, and that is all that
-- is asked of nearly every row. Triggers, and not the posting statement: 0.1.0 posts into the same tables.
create trigger ledger_transfer_late after insert on ledger_transfer for each row
  when (new.created_at < statement_timestamp() - interval '3 hours') execute function note_late_row();
-- A row that is announced as running is nobody's yet; it may end days later.
create trigger request_log_late after insert on request_log for each row
  when (new.state <> 'running' and new.created_at < statement_timestamp() - interval '3 hours') execute function note_late_row();
create trigger request_log_ended_late after update on request_log for each row
  when (old.state = 'running' and new.created_at < statement_timestamp() - interval '3 hours') execute function note_late_row();

-- Sums of a day by pair of books; all wallets are `wallets`.
create table ledger_day (
  day       date not null,
  debit     text not null,
  credit    text not null,
  kind      text not null,
  transfers bigint not null,
  amount    numeric(38, 0) not null,
  primary key (day, debit, credit, kind)
);

-- Of each account that moved on a day: by how much, its balance at the day's end, and what it was charged until then.
create table ledger_balance (
  id      text not null,
  day     date not null,
  moved   numeric(38, 0) not null,
  posted  numeric(38, 0) not null,
  charged numeric(38, 0) not null,
  primary key (id, day)
);
create index ledger_balance_of_day on ledger_balance (day, id);

-- What was sold, to whom, by whom served. Outlives the request log.
create table money_day (
  day                   date not null,
  account_id            text not null,
  model                 text not null,
  -- '': none answered.
  provider              text not null,
  requests              bigint not null,
  failed                bigint not null,
  refused               bigint not null,
  interrupted           bigint not null,
  input_tokens          bigint not null,
  output_tokens         bigint not null,
  cached_tokens         bigint not null,
  revenue               numeric(38, 0) not null,
  refunded              numeric(38, 0) not null,
  cost                  numeric(38, 0) not null,
  -- Answers of a provider whose cost nobody knows, and what they were sold for.
  cost_unknown_requests bigint not null,
  revenue_unknown_cost  numeric(38, 0) not null,
  -- What providers cost for attempts that were not sold, and corrections of costs that became known later.
  waste                 numeric(38, 0) not null default 0,
  cost_corrections      numeric(38, 0) not null default 0,
  primary key (day, account_id, model, provider)
);
create index money_day_of_account on money_day (account_id, day);

-- Spend counters as the sealed days make them.
create table spend_sealed (
  id    text primary key,
  spent numeric(38, 0) not null
) with (fillfactor = 70);

create table ledger_seal (
  day       date primary key,
  transfers bigint not null,
  late      bigint not null,
  requests  bigint not null,
  amount    numeric(60, 0) not null,
  charged   numeric(38, 0) not null,
  -- Fingerprint of the day's transfers and of its rows in money_day: sums of hashes, in no order.
  digest    text not null,
  -- HMAC over the former seal's chain and this seal's sums: a seal cannot be made anew without the master key.
  chain     text not null,
  sealed_at timestamptz not null,
  -- Last read again, and whether it was then as it had been sealed.
  read_at   timestamptz,
  broken    boolean not null default false
);
create index ledger_seal_to_read on ledger_seal (read_at nulls first, day);
create index ledger_seal_broken on ledger_seal (day) where broken;
