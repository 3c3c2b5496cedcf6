-- Accounts, their API keys, operator settings and the trail of what operators did.

create table account (
  id          text primary key,
  name        text not null,
  rules       jsonb not null,
  calendar    jsonb not null,
  -- 'config': written by config as code and read-only elsewhere.
  managed_by  text not null default 'operator' check (managed_by in ('config', 'operator')),
  created_at  timestamptz not null,
  updated_at  timestamptz not null
);
create index account_newest on account (created_at desc, id desc);

create table api_key (
  id          text primary key,
  account_id  text not null references account (id),
  name        text not null,
  -- SHA-256 of the key's text. The text itself is never stored.
  digest      bytea not null unique check (octet_length(digest) = 32),
  -- What a person may see to tell keys apart.
  prefix      text not null,
  last4       text not null,
  rules       jsonb not null,
  managed_by  text not null default 'operator' check (managed_by in ('config', 'operator')),
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  revoked_at  timestamptz
);
create index api_key_of_account on api_key (account_id, created_at desc, id desc);

create table setting (
  key         text primary key,
  value       jsonb not null,
  updated_at  timestamptz not null
);

create table admin_event (
  id       text primary key,
  at       timestamptz not null,
  actor    text not null,
  action   text not null,
  subject  text not null,
  detail   jsonb not null default '{}'
);
create index admin_event_newest on admin_event (at desc, id desc);
create index admin_event_of_subject on admin_event (subject, at desc, id desc);
