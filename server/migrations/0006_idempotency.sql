-- Who answers under an Idempotency-Key, and what was answered: one row per key for as long as keys are kept, so that a retry on
-- another replica, or after a restart, finds the first answer instead of paying for a second one.

create table idempotency_claim (
  -- Digest of account, endpoint and key.
  id            text primary key,
  account_id    text not null,
  body_digest   text not null,
  -- The replica that answers, and the request it answers with.
  owner         text not null,
  request_id    text not null,
  state         text not null check (state in ('running', 'done')),
  -- Somebody elsewhere waits for the end and wants to hear of it.
  awaited       boolean not null default false,
  -- By this database's clock, which all replicas share; the owner prolongs it for as long as it lives.
  lease_until   timestamptz not null,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  -- Null in a row that is done: the answer was too long to keep, was lost, or has made room for newer ones.
  answer_head   text,
  answer_body   bytea,
  answer_bytes  integer not null default 0
);

create index idempotency_claim_expiry on idempotency_claim (expires_at);
create index idempotency_claim_account on idempotency_claim (account_id, created_at);
create index idempotency_claim_running on idempotency_claim (owner) where state = 'running';
