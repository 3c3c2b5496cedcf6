-- Proofs of the books, and where a walk over a day stands.

-- A walk reads the rows of a day in slices; each slice adds to the sums below and moves this on in one transaction, so a process
-- that was killed goes on, and nothing is added twice. `seal`: a day is being sealed; `read`: one is read again.
create table seal_progress (
  walk      text primary key,
  day       date not null,
  step      text not null,
  after_id  text not null,
  transfers bigint not null default 0,
  late      bigint not null default 0,
  requests  bigint not null default 0,
  amount    numeric(60, 0) not null default 0,
  charged   numeric(38, 0) not null default 0,
  hash_low  numeric(60, 0) not null default 0,
  hash_high numeric(60, 0) not null default 0,
  -- {check: {total, such: [the first few in words]}}.
  faults    jsonb not null default '{}'
);
create table walk_day (
  walk text not null, debit text not null, credit text not null, kind text not null,
  transfers bigint not null, amount numeric(38, 0) not null,
  primary key (walk, debit, credit, kind)
);
create table walk_balance (
  walk text not null, id text not null, moved numeric(38, 0) not null, charged numeric(38, 0) not null,
  primary key (walk, id)
);
create table walk_money (
  walk text not null, account_id text not null, model text not null, provider text not null,
  requests bigint not null, failed bigint not null, refused bigint not null, interrupted bigint not null,
  input_tokens bigint not null, output_tokens bigint not null, cached_tokens bigint not null,
  revenue numeric(38, 0) not null, refunded numeric(38, 0) not null, cost numeric(38, 0) not null,
  cost_unknown_requests bigint not null, revenue_unknown_cost numeric(38, 0) not null,
  primary key (walk, account_id, model, provider)
);
create table walk_spend (
  walk text not null, id text not null, spent numeric(38, 0) not null,
  primary key (walk, id)
);

-- Every run: who asked, how far it came, what each check found or why it stopped.
create table proof_run (
  id            text primary key,
  -- light: what is asked every few minutes, kept only when it found something. night: seals and reads again. whole: everything.
  kind          text not null check (kind in ('light', 'night', 'whole')),
  asked_by      text not null,
  -- The replica that does it.
  holder        text not null,
  -- Only a run that ended says anything about the books.
  state         text not null check (state in ('running', 'ended', 'failed')),
  started_at    timestamptz not null,
  heartbeat_at  timestamptz not null,
  ended_at      timestamptz,
  rows_read     bigint not null default 0,
  rows_expected bigint not null default 0,
  slices        bigint not null default 0,
  ok            boolean,
  checks        jsonb not null default '[]',
  reason        text
);
-- One at a time, over all replicas.
create unique index proof_run_alone on proof_run ((true)) where state = 'running';
create index proof_run_newest on proof_run (started_at desc, id desc);

-- What is known now.
create table proof_state (
  only_row  boolean primary key default true check (only_row),
  -- The last run that ended: when, and the last day it covered whole.
  proved_at timestamptz,
  proved_to date,
  run_id    text,
  -- [{check, detail, run}] that failed.
  failing   jsonb not null default '[]',
  -- Tries since then that did not end, and why.
  tries     integer not null default 0,
  tried_at  timestamptz,
  reason    text,
  light_at  timestamptz
);
insert into proof_state default values;
