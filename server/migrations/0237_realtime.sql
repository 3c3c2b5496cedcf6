-- Models that one talks to while they listen (ADR 0073). The version before does not know the word and refuses such a model by name.
alter table model drop constraint model_kind_check, add constraint model_kind_check
  check (kind in ('chat', 'embedding', 'speech', 'transcription', 'rerank', 'moderation', 'image', 'realtime'));

-- Short-lived secrets for browsers, each bound to a key, a model and the beginning of a session.
create table realtime_secret (
  -- Of the text, which is stored nowhere.
  digest      bytea primary key,
  -- Of the key that it was made with: when that is replaced or revoked, the secret opens nothing.
  key_digest  bytea not null,
  key_id      text not null,
  account_id  text not null,
  model       text not null,
  session     jsonb not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null
);
create index realtime_secret_expires on realtime_secret (expires_at);
create index realtime_secret_account on realtime_secret (account_id, created_at);
