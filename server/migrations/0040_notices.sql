-- What people are told, and how it reaches them. A notice exists once per account, event and occasion: the unique key is the
-- promise that a storm of requests on any number of replicas tells of it once.

create table notice (
  id          text primary key,
  -- '' for staff.
  account_id  text not null,
  event       text not null,
  occasion    text not null,
  data        jsonb not null,
  link        text,
  created_at  timestamptz not null,
  unique (account_id, event, occasion)
);
create index notice_newest on notice (account_id, created_at desc, id desc);

-- Only what differs from the defaults.
create table alert_rule (
  account_id  text not null references account (id) on delete cascade,
  event       text not null,
  enabled     boolean,
  channels    jsonb,
  terms       jsonb not null default '{}',
  primary key (account_id, event)
);

create table alert_settings (
  account_id  text primary key references account (id) on delete cascade,
  -- Minutes of the day in the account's zone.
  quiet_from  integer,
  quiet_to    integer,
  read_at     timestamptz
);

-- What a watcher must remember, such as whether a low balance was told of and has not recovered since.
create table alert_memory (
  account_id  text not null,
  subject     text not null,
  value       jsonb not null,
  primary key (account_id, subject)
);

create table alert_target (
  id             text primary key,
  account_id     text not null references account (id) on delete cascade,
  url            text not null,
  -- The signing secret, encrypted with the master key.
  sealed         text not null,
  enabled        boolean not null,
  problem        text,
  failing_since  timestamptz,
  created_at     timestamptz not null
);
create index alert_target_of_account on alert_target (account_id, created_at);

-- The outbox, and the log of what became of each message.
create table notice_delivery (
  id            text primary key,
  notice_id     text not null references notice (id) on delete cascade,
  account_id    text not null,
  channel       text not null check (channel in ('email', 'sms', 'webhook')),
  target_id     text references alert_target (id) on delete cascade,
  address       text,
  state         text not null check (state in ('waiting', 'sent', 'failed', 'suppressed')),
  tries         integer not null default 0,
  first_try_at  timestamptz,
  next_try_at   timestamptz,
  leased_until  timestamptz,
  last_status   integer,
  last_problem  text,
  created_at    timestamptz not null,
  sent_at       timestamptz
);
create index notice_delivery_due on notice_delivery (next_try_at) where state = 'waiting';
create index notice_delivery_newest on notice_delivery (account_id, created_at desc, id desc);
