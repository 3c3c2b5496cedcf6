-- What every route was asked to prove, and what it proved (ADR 0066).
create table conformance_run (
  id          text primary key,
  -- The day of Tehran whose night it is; null: begun by hand.
  night       date,
  actor       text not null,
  -- Null: all.
  model_id    text,
  route       text,
  budget      numeric(38, 0) not null,
  spent       numeric(38, 0) not null default 0,
  asked       integer not null default 0,
  failed      integer not null default 0,
  changed     integer not null default 0,
  -- Probes for which the budget did not reach.
  left_out    integer not null default 0,
  started_at  timestamptz not null,
  -- When its process was seen last: a run without one is over.
  seen_at     timestamptz not null,
  ended_at    timestamptz,
  ending      text check (ending in ('done', 'budget', 'stopped'))
);
create unique index conformance_run_night on conformance_run (night) where night is not null;
-- One at a time, however many replicas there are.
create unique index conformance_run_open on conformance_run ((ended_at is null)) where ended_at is null;
create index conformance_run_newest on conformance_run (started_at desc);

-- The newest of each route and probe.
create table conformance_result (
  model_id     text not null,
  route        text not null,
  probe        text not null,
  verdict      text not null check (verdict in ('passed', 'failed', 'unknown')),
  -- What was wrong, in our own words.
  detail       text,
  duration_ms  integer not null,
  asked_at     timestamptz not null,
  -- Since when it is so.
  since        timestamptz not null,
  -- When it was tried last, also in vain.
  tried_at     timestamptz not null,
  primary key (model_id, route, probe)
);

create table conformance_history (
  model_id  text not null,
  route     text not null,
  probe     text not null,
  asked_at  timestamptz not null,
  verdict   text not null,
  detail    text,
  primary key (model_id, route, probe, asked_at)
);

-- What the probes of a day cost; booked when the day is sealed, one transfer per provider.
create table probe_cost (
  day       date not null,
  model     text not null,
  provider  text not null,
  amount    numeric(38, 0) not null,
  primary key (day, model, provider)
);

-- Of what a day cost without being sold: its probes.
alter table walk_money add column probes numeric(38, 0) not null default 0;
