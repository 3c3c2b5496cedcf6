-- What customers met, per minute, for telling staff of outages: kept for two days. Every replica adds its counts every ten seconds.
create table health_minute (
  -- '' for a credential of a provider.
  model_id  text not null,
  -- '' for the model as customers met it, over all its routes; else one route of it, or the credential.
  route     text not null,
  minute    timestamptz not null,
  -- '' for a model.
  provider  text not null,
  answered  bigint not null,
  failed    bigint not null,
  -- Requests that a route failed and another one answered.
  rescued   bigint not null,
  primary key (model_id, route, minute)
);
create index health_minute_by_minute on health_minute (minute);

-- Why they failed, in our own words (a kind and a status): nothing that a provider wrote.
create table health_cause (
  model_id  text not null,
  minute    timestamptz not null,
  provider  text not null,
  cause     text not null,
  times     bigint not null,
  primary key (model_id, minute, provider, cause)
);
create index health_cause_by_minute on health_cause (minute);

-- Which accounts met a failure of a model, and when last.
create table health_account (
  model_id    text not null,
  account_id  text not null,
  failed_at   timestamptz not null,
  primary key (model_id, account_id)
);
create index health_account_by_time on health_account (failed_at);

-- One open row per kind and subject, however many replicas see it.
create table outage (
  id               text primary key,
  kind             text not null,
  subject          text not null,
  severity         text not null check (severity in ('warning', 'major', 'critical')),
  opened_at        timestamptz not null,
  -- When a replica saw it last.
  seen_at          timestamptz not null,
  acknowledged_at  timestamptz,
  acknowledged_by  text,
  closed_at        timestamptz,
  ending           text check (ending in ('recovered', 'quiet')),
  failed           bigint not null default 0,
  answered         bigint not null default 0,
  accounts         integer not null default 0,
  peak_share       double precision not null default 0,
  cause            text,
  provider         text,
  data             jsonb not null default '{}',
  -- How often it came back within half an hour.
  reopened         integer not null default 0,
  -- What staff was told last, and when: 'opened:major', 'closed'.
  told             text,
  told_at          timestamptz,
  counted_at       timestamptz
);
create unique index outage_open on outage (kind, subject) where closed_at is null;
create index outage_newest on outage (opened_at desc, id desc);
create index outage_of_subject on outage (kind, subject, closed_at desc);
