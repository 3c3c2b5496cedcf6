-- Files of customers, and batches that are made of them (ADR 0072).

create table stored_file (
  id          text primary key,
  account_id  text not null references account (id),
  purpose     text not null,
  name        text not null,
  bytes       bigint not null,
  -- `writing`: its chunks are not all there, and nobody is shown it.
  state       text not null check (state in ('writing', 'kept')),
  -- Of a batch: its lines are the content, and it has no chunks.
  batch_id    text,
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);
create index stored_file_of_account on stored_file (account_id, created_at desc, id desc);
create index stored_file_expiry on stored_file (expires_at);
create index stored_file_of_batch on stored_file (batch_id) where batch_id is not null;

-- In pieces, so that no process holds a file whole; in the database, so that every replica can read it.
create table stored_file_chunk (
  file_id   text not null references stored_file (id) on delete cascade,
  -- Where its first byte stands in the file.
  position  bigint not null,
  data      bytea not null,
  primary key (file_id, position)
);

create table batch (
  id                text primary key,
  account_id        text not null references account (id),
  key_id            text not null,
  dialect           text not null check (dialect in ('openai', 'anthropic')),
  -- As the client named it: /v1/chat/completions, /v1/messages, …
  endpoint          text not null,
  input_file_id     text not null,
  metadata          jsonb,
  -- Of the ordinary price, as it was promised when the batch was made.
  price_percent     integer not null,
  state             text not null
    check (state in ('validating', 'in_progress', 'cancelling', 'completed', 'failed', 'expired', 'cancelled')),
  total             integer not null default 0,
  succeeded         integer not null default 0,
  failed            integer not null default 0,
  cancelled         integer not null default 0,
  expired           integer not null default 0,
  model             text,
  input_tokens      bigint not null default 0,
  cached_tokens     bigint not null default 0,
  output_tokens     bigint not null default 0,
  reasoning_tokens  bigint not null default 0,
  cost              numeric(38, 0) not null default 0,
  -- Why its file was refused: [{code, line, message, param}].
  errors            jsonb,
  output_file_id    text,
  error_file_id     text,
  -- How long its results are kept, from their end.
  keep_seconds      integer not null,
  created_at        timestamptz not null,
  started_at        timestamptz,
  cancelling_at     timestamptz,
  ended_at          timestamptz,
  expires_at        timestamptz not null,
  -- When the batch and its results are deleted.
  delete_at         timestamptz,
  leased_by         text,
  leased_until      timestamptz,
  -- Batches take turns: who ran longest ago is next.
  last_turn_at      timestamptz,
  run_after         timestamptz
);
create index batch_of_account on batch (account_id, created_at desc, id desc);
create index batch_to_run on batch (last_turn_at nulls first, created_at) where state in ('validating', 'in_progress', 'cancelling');
create index batch_deletion on batch (delete_at) where delete_at is not null;

create table batch_line (
  batch_id    text not null references batch (id) on delete cascade,
  line        integer not null,
  custom_id   text not null,
  -- Where it stands in the input file.
  position    bigint not null,
  length      integer not null,
  state       text not null default 'waiting'
    check (state in ('waiting', 'succeeded', 'failed', 'cancelled', 'expired')),
  -- Of the request that answers it: written before that runs, so that a second run after a crash is charged under the same id.
  request_id  text,
  status      integer,
  -- The answer's body, as the endpoint gave it.
  body        bytea,
  primary key (batch_id, line)
);
-- Every turn of a batch asks for the next ones: it must not walk over the hundred thousands that are answered.
create index batch_line_waiting on batch_line (batch_id, line) where state = 'waiting';
