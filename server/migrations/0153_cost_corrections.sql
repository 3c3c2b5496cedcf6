-- A cost that becomes known later is counted for the requests of the open month that had none (ADR 0045). Their rows stay as they
-- are: what they cost is kept here, and booked as one entry of the day on which it was found out.
create table cost_correction (
  id             text primary key,
  provider_id    text not null,
  model_id       text not null,
  upstream_model text not null,
  -- As route.cost was when it was asked for.
  price          jsonb not null,
  -- Requests from here on, and before there.
  from_at        timestamptz not null,
  to_at          timestamptz not null,
  -- How far the walk over the log has come.
  after_id       text not null default '',
  state          text not null check (state in ('running', 'booked')),
  requests       bigint not null default 0,
  revenue        numeric(38, 0) not null default 0,
  amount         numeric(38, 0) not null default 0,
  asked_by       text not null,
  created_at     timestamptz not null,
  booked_at      timestamptz
);
create unique index cost_correction_alone on cost_correction (provider_id, model_id, upstream_model) where state = 'running';
create index cost_correction_newest on cost_correction (created_at desc, id desc);

-- Each request is corrected once, however often somebody asks.
create table cost_corrected (
  request_id    text primary key,
  correction_id text not null
);

-- What was corrected, on the days of the requests; profit is read with it.
create table cost_correction_part (
  correction_id text not null,
  day           date not null,
  account_id    text not null,
  model         text not null,
  provider      text not null,
  requests      bigint not null,
  revenue       numeric(38, 0) not null,
  amount        numeric(38, 0) not null,
  primary key (correction_id, day, account_id, model, provider)
);
create index cost_correction_part_of_day on cost_correction_part (day);
