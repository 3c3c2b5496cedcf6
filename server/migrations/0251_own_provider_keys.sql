-- Customers' own keys at providers: one of an account and a provider, sealed like the operator's, gone with the account.
create table own_provider_key (
  id           text primary key,
  account_id   text not null references account (id) on delete cascade,
  -- No foreign key: a provider may come and go with its variable, and the key stays unused meanwhile.
  provider_id  text not null,
  name         text not null,
  sealed       text not null,
  last4        text,
  -- Whether the operator's own routes may answer, at their price, when this key does not.
  fallback     boolean not null default false,
  created_by   text not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  unique (account_id, provider_id)
);
