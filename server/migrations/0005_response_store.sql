-- Answers of the Responses protocol that a client may continue (`previous_response_id`), read again or delete. Written behind
-- the request; JSON as text, since its strings may hold U+0000, which jsonb refuses.

create table response_store (
  id           text primary key,
  account_id   text not null,
  previous_id  text,
  -- The items this request brought; those of earlier turns are in the rows that previous_id leads to.
  input        text not null,
  response     text not null,
  item_ids     text[] not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null
);

create index response_store_account on response_store (account_id, created_at desc);
create index response_store_items on response_store using gin (item_ids);
create index response_store_expiry on response_store (expires_at);
