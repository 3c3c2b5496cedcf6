-- People: who signs in, how, and what they may do.

create table person (
  id             text primary key,
  name           text not null,
  language       text not null default 'fa' check (language in ('fa', 'en')),
  -- scrypt with its parameters; null: no password.
  password_hash  text,
  -- Sealed with the master key; in force once confirmed.
  totp_secret    text,
  totp_confirmed boolean not null default false,
  -- The last time step whose code was taken: a code is good once.
  totp_step      bigint not null default 0,
  -- SHA-256 of recovery codes that are left.
  recovery       jsonb not null default '[]',
  last_account   text,
  blocked_at     timestamptz,
  created_at     timestamptz not null
);
create index person_newest on person (created_at desc, id desc);

-- Numbers and addresses whose owner gave a code. 'name' is the operator of the first start, who has neither.
create table identity (
  id          text primary key,
  person_id   text not null references person (id) on delete cascade,
  kind        text not null check (kind in ('mobile', 'email', 'name')),
  value       text not null,
  created_at  timestamptz not null,
  unique (kind, value)
);
create index identity_of_person on identity (person_id);

create table passkey (
  -- The credential's id, base64url.
  id          text primary key,
  person_id   text not null references person (id) on delete cascade,
  name        text not null,
  public_key  bytea not null,
  counter     bigint not null,
  transports  jsonb not null default '[]',
  created_at  timestamptz not null,
  used_at     timestamptz
);
create index passkey_of_person on passkey (person_id);

-- One open code per contact and purpose. Only a keyed digest is kept.
create table sign_in_code (
  contact     text not null,
  purpose     text not null,
  digest      bytea not null,
  tries       integer not null default 0,
  sent_at     timestamptz not null,
  expires_at  timestamptz not null,
  primary key (contact, purpose)
);

-- What begins now and ends with a second step: a second factor, a passkey's challenge.
create table sign_in_ticket (
  digest      bytea primary key,
  kind        text not null,
  person_id   text,
  detail      jsonb not null default '{}',
  tries       integer not null default 0,
  expires_at  timestamptz not null
);

create table session (
  id            text primary key,
  -- SHA-256 of the cookie's 256 bits.
  digest        bytea not null unique,
  person_id     text not null references person (id) on delete cascade,
  method        text not null,
  second_factor boolean not null,
  address       text,
  agent         text,
  created_at    timestamptz not null,
  seen_at       timestamptz not null,
  expires_at    timestamptz not null,
  -- Staff that looks at an account as its customer does.
  view_account  text,
  view_until    timestamptz
);
create index session_of_person on session (person_id, created_at desc);

create table membership (
  account_id  text not null references account (id),
  person_id   text not null references person (id) on delete cascade,
  role        text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  created_at  timestamptz not null,
  primary key (account_id, person_id)
);
create index membership_of_person on membership (person_id);
create unique index membership_one_owner on membership (account_id) where role = 'owner';

create table invitation (
  id          text primary key,
  account_id  text not null references account (id),
  contact     text not null,
  role        text not null check (role in ('admin', 'developer', 'billing', 'viewer')),
  digest      bytea not null unique,
  invited_by  text not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  -- Accepted or withdrawn.
  ended_at    timestamptz
);
create index invitation_of_account on invitation (account_id, created_at desc) where ended_at is null;
create index invitation_to_contact on invitation (contact) where ended_at is null;

create table staff (
  person_id   text primary key references person (id) on delete cascade,
  role        text not null check (role in ('owner', 'finance', 'support', 'viewer')),
  created_at  timestamptz not null
);

create table management_key (
  id            text primary key,
  account_id    text not null references account (id),
  name          text not null,
  digest        bytea not null unique,
  prefix        text not null,
  last4         text not null,
  -- {"keys": "write", "requests": "read"}
  resources     jsonb not null,
  ips           jsonb,
  expires_at    timestamptz,
  created_by    text not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz,
  revoked_at    timestamptz
);
create index management_key_of_account on management_key (account_id, created_at desc);

-- Counters of attempts in fixed spans of time, shared by all replicas.
create table attempt_count (
  bucket      text not null,
  span_start  timestamptz not null,
  count       integer not null,
  primary key (bucket, span_start)
);

-- What the sandbox messenger would have sent.
create table outbox_message (
  id          text primary key,
  at          timestamptz not null,
  channel     text not null,
  recipient   text not null,
  kind        text not null,
  subject     text,
  text        text not null
);
create index outbox_newest on outbox_message (at desc, id desc);

-- null: open. A closed account keeps its books and its log, and spends nothing.
alter table account add column closed_at timestamptz;
-- {"enabled": true, "days": 7}; null: off.
alter table account add column log_prompts jsonb;
-- null: as the account says.
alter table api_key add column log_prompts jsonb;
-- The former text of a rotated key, as long as both work.
alter table api_key add column overlap_digest bytea unique check (octet_length(overlap_digest) = 32);
alter table api_key add column overlap_last4 text;
alter table api_key add column overlap_until timestamptz;
-- 'playground': charged by the console's playground, never presented as a text.
alter table api_key add column purpose text not null default 'api' check (purpose in ('api', 'playground'));
create unique index api_key_playground on api_key (account_id) where purpose = 'playground' and revoked_at is null;

-- Prompts and answers that an account asked us to keep, sealed with the master key.
create table request_text (
  request_id  text primary key,
  account_id  text not null,
  sealed      text not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);
create index request_text_expiry on request_text (expires_at);
create index request_text_age on request_text (created_at);
