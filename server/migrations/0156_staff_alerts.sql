-- How each of the operator's people is told. Only what differs from the defaults.
create table staff_alert (
  person_id  text not null references person (id) on delete cascade,
  event      text not null,
  channels   jsonb not null,
  primary key (person_id, event)
);

create table staff_quiet (
  person_id   text primary key references person (id) on delete cascade,
  -- Minutes of the day in Tehran.
  quiet_from  integer,
  quiet_to    integer,
  -- Whether quiet hours hold back everything, and not only warnings.
  holds_all   boolean not null default false
);

create table staff_target (
  id             text primary key,
  person_id      text not null references person (id) on delete cascade,
  url            text not null,
  -- The signing secret, encrypted with the master key.
  sealed         text not null,
  enabled        boolean not null,
  problem        text,
  failing_since  timestamptz,
  created_at     timestamptz not null
);
create index staff_target_of_person on staff_target (person_id, created_at);

-- An outbox of its own: the version before would take these messages out of its outbox and give them up, since it knows neither
-- their events nor their targets.
create table staff_delivery (
  id            text primary key,
  notice_id     text not null references notice (id) on delete cascade,
  person_id     text not null references person (id) on delete cascade,
  channel       text not null check (channel in ('email', 'sms', 'webhook')),
  target_id     text references staff_target (id) on delete cascade,
  address       text,
  severity      text not null check (severity in ('warning', 'major', 'critical')),
  state         text not null check (state in ('waiting', 'sent', 'failed')),
  tries         integer not null default 0,
  first_try_at  timestamptz,
  next_try_at   timestamptz,
  leased_until  timestamptz,
  last_status   integer,
  last_problem  text,
  created_at    timestamptz not null,
  sent_at       timestamptz
);
create index staff_delivery_due on staff_delivery (next_try_at) where state = 'waiting';
create index staff_delivery_newest on staff_delivery (person_id, created_at desc, id desc);
