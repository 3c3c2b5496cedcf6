-- Months of the books: they close in order, and none is ever opened again (ADR 0043).

-- Which months are those of the books, and how long the tax office waits for an invoice. One row.
create table books_rule (
  only_row       boolean primary key default true check (only_row),
  calendar       text not null default 'jalali' check (calendar in ('jalali', 'gregorian')),
  -- 0: invoices are not sent to a tax office from here.
  tax_send_days  integer not null default 12 check (tax_send_days between 0 and 90),
  -- What the tax office calls the service (`sstid`); '' until somebody says it.
  tax_service_id text not null default ''
);
insert into books_rule default values;

-- A month that somebody asked to close, or that is closed. Open months have no row.
create table ledger_period (
  -- `1405-08` or `2026-11`.
  id          text primary key,
  calendar    text not null check (calendar in ('jalali', 'gregorian')),
  first_day   date not null unique,
  last_day    date not null unique,
  state       text not null check (state in ('asked', 'closed')),
  asked_by    text not null,
  asked_at    timestamptz not null,
  approved_by text,
  closed_at   timestamptz,
  -- Approved by whoever asked, because there was nobody else.
  alone       boolean not null default false,
  -- {what was amber: the sentence about it}.
  sentences   jsonb not null default '{}',
  -- What the month held: its transfers, the fingerprint of its daily sums, and the chain of the seal of its last day.
  transfers   bigint,
  amount      numeric(60, 0),
  sums_digest text,
  chain       text,
  check (first_day <= last_day),
  check (state = 'asked' or (approved_by is not null and closed_at is not null and transfers is not null and sums_digest is not null and chain is not null))
);
create unique index ledger_period_asked on ledger_period ((true)) where state = 'asked';

-- The last day that is closed for ever; before the first month is closed, there is none.
create function closed_to() returns date language sql stable as $$
  select coalesce(max(last_day), '-infinity'::date) from ledger_period where state = 'closed'
$$;

create function closed_period_stays() returns trigger language plpgsql as $$
begin
  if old.state = 'closed' then
    raise exception 'the month % is closed and never opens again', old.id;
  end if;
  return coalesce(new, old);
end
$$;
create trigger ledger_period_stays before update or delete on ledger_period
  for each row execute function closed_period_stays();

-- Nothing can be written into a closed month or taken out of it: neither its sums, nor its seals, nor an entry that is booked late.
create function day_is_open() returns trigger language plpgsql as $$
declare
  closed date := closed_to();
begin
  if tg_op in ('UPDATE', 'DELETE') and (to_jsonb(old) ->> tg_argv[0])::date <= closed then
    raise exception 'the day % is in a closed month', to_jsonb(old) ->> tg_argv[0];
  end if;
  if tg_op in ('INSERT', 'UPDATE') and (to_jsonb(new) ->> tg_argv[0])::date <= closed then
    raise exception 'the day % is in a closed month', to_jsonb(new) ->> tg_argv[0];
  end if;
  return coalesce(new, old);
end
$$;
create trigger ledger_day_closed before insert or update or delete on ledger_day
  for each row execute function day_is_open('day');
create trigger ledger_balance_closed before insert or update or delete on ledger_balance
  for each row execute function day_is_open('day');
create trigger late_request_closed before insert or update or delete on late_request
  for each row execute function day_is_open('booked_on');
-- A seal says when it was last read again; what it sealed stays.
create trigger ledger_seal_closed before insert or delete or update of day, transfers, late, requests, amount, charged, digest, chain on ledger_seal
  for each row execute function day_is_open('day');
-- The clock of the books does not go back into a closed month.
create trigger ledger_clock_closed before insert or update or delete on ledger_clock
  for each row execute function day_is_open('open_from');
