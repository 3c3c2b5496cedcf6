-- Answers that broke the guarantee (ADR 0069). A row is written with the charge; the credit is decided once, in a transaction that
-- also counts it for the day, so that all replicas together give no more than the setting says.
create table guarantee_credit (
  request_id  text primary key,
  account_id  text not null references account (id) on delete cascade,
  day         date not null,
  amount      numeric not null check (amount > 0),
  -- waiting, credited, over (the day's bound was reached), refunded (staff had given it back before)
  state       text not null default 'waiting',
  created_at  timestamptz not null,
  decided_at  timestamptz
);
create index guarantee_credit_waiting on guarantee_credit (created_at) where state = 'waiting';

-- Free answers of an account on a day of Tehran.
create table guarantee_day (
  account_id  text not null references account (id) on delete cascade,
  day         date not null,
  free        integer not null,
  primary key (account_id, day)
);
