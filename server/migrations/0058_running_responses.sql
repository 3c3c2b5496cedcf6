-- Answers that are made in the background are in the store before they are done. Whoever makes one says again and again that it
-- still does; where that stops, the answer was lost with its process.
alter table response_store add column runs_until timestamptz;

-- Conversations of the Responses protocol: items in their order, read by every answer in the conversation and added to by it.
create table conversation (
  id           text primary key,
  account_id   text not null,
  metadata     text not null,
  -- Of all its items together.
  characters   bigint not null default 0,
  created_at   timestamptz not null,
  expires_at   timestamptz not null
);
create index conversation_account on conversation (account_id, created_at desc);
create index conversation_expiry on conversation (expires_at);

create table conversation_item (
  conversation_id  text not null references conversation on delete cascade,
  place            bigint generated always as identity,
  id               text not null,
  item             text not null,
  primary key (conversation_id, id)
);
create index conversation_item_place on conversation_item (conversation_id, place);
