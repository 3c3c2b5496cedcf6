-- Settled requests that wait to be told to webhooks, of keys whose rule says so. A row goes when it was told or given up. The id
-- names request and target, so a batch that is posted again after a crash does not tell twice.
create table settled_event (
  id            text primary key,
  account_id    text not null references account (id) on delete cascade,
  target_id     text not null references alert_target (id) on delete cascade,
  data          jsonb not null,
  state         text not null,
  tries         integer not null default 0,
  first_try_at  timestamptz,
  next_try_at   timestamptz,
  leased_until  timestamptz,
  last_status   integer,
  last_problem  text,
  created_at    timestamptz not null,
  sent_at       timestamptz
);
create index settled_event_due on settled_event (next_try_at) where state = 'waiting';
create index settled_event_of_account on settled_event (account_id);
