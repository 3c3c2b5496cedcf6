-- Where the exchange rate is read from, and how that went: at most one row. Replicas take turns by due_at.
create table rate_source (
  id            integer primary key default 1 check (id = 1),
  url           text not null,
  -- JSON pointer to the rate in the answer.
  field         text not null,
  unit          text not null check (unit in ('toman', 'rial')),
  every_minutes integer not null check (every_minutes > 0),
  least         text not null,
  most          text not null,
  most_change_percent integer not null check (most_change_percent > 0),
  stale_hours   integer not null check (stale_hours > 0),
  -- Whether models priced by the rate are no longer offered once it is stale.
  stop_when_stale boolean not null,
  due_at        timestamptz not null,
  tried_at      timestamptz,
  -- When a rate was last read and accepted, and which.
  ok_at         timestamptz not null,
  rate          text,
  problem       text
);
