-- Tokens of programs that work on the operator API: made by name, within scopes, until an end. Only a digest of each is kept.
create table operator_token (
  id            text primary key,
  name          text not null,
  -- Null for the row 'environment', which only tells when DARGAH_OPERATOR_TOKEN was last used.
  digest        bytea unique,
  last4         text not null,
  -- ["read", "catalog"]
  scopes        jsonb not null,
  expires_at    timestamptz,
  created_by    text not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz,
  revoked_at    timestamptz
);
create index operator_token_newest on operator_token (created_at desc, id desc);
